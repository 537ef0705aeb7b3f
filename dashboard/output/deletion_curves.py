"""Deletion or insertion curves of several explanations beside random orders, with their downloads."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.attribution.deletion_curves import Faithfulness
from dashboard import theme
from dashboard.figures.faithfulness import faithfulness_curves
from dashboard.figures.paper import escape
from dashboard.output import charts


def show(
    curves: Mapping[str, Faithfulness],
    side: str,
    areas: Mapping[str, float],
    band: tuple[np.ndarray, np.ndarray],
    *,
    title: str,
    x: str,
    answer: str,
    hues: Mapping[str, str],
    name: str,
) -> None:
    """Draw a line for each of `curves`, by its title, random orders included; `side` is "deletion" or "insertion".

    `band`: the lowest and the highest of the random draws; `answer` is the class whose probability is drawn.
    """
    lines = {explanation: getattr(curve, side).numpy() for explanation, curve in curves.items()}
    shares, (low, high) = next(iter(curves.values())).shares.numpy(), band
    st.markdown(f"**{title}**")
    figure = partial(
        faithfulness_curves,
        shares,
        lines,
        areas,
        (low, high),
        hues=hues,
        look=theme.look(),
        x=x,
        y=f"probability of {escape(answer)}",
        height=theme.look().high(400),
    )
    charts.chart(
        figure,
        name=name,
        alt=f"{title}. Areas: " + ", ".join(f"{explanation} {area:.3f}" for explanation, area in areas.items()),
        table=pd.DataFrame({"share": shares, **lines, "random, lowest": low, "random, highest": high}),
    )
