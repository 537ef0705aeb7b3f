"""A norm taken apart: mean and deviation before, gamma and beta, and the formula against the module."""

import pandas as pd
import streamlit as st

from core.anatomy import Arrays, NormReading, Part, read_norm
from core.anatomy.trace import tokens_of
from dashboard import charts, layout
from dashboard.figures.curves import curves
from pages.foundations.inside_the_transformer import maps
from pages.foundations.inside_the_transformer.compute import Walk

FORMULAS = {
    "layer": r"y=\frac{\gamma\,(x-\mu)}{\sqrt{\sigma^2+\epsilon}}+\beta",
    "rms": r"y=\frac{\gamma\,x}{\sqrt{\frac{1}{d}\sum_i x_i^2+\epsilon}}",
}
SOURCES = {"layer": "Ba et al. 2016, equations 3 and 4", "rms": "Zhang and Sennrich 2019, equation 4"}


def show(walk: Walk, part: Part, arrays: Arrays) -> None:
    """Statistics of each token before, the weights of each channel, the recomputation."""
    before, after = tokens_of(arrays.given), tokens_of(arrays.made)
    reading = read_norm(walk.network.get_submodule(part.path), before, after)
    if not layout.is_presented():
        st.latex(FORMULAS[reading.kind])
        st.caption(
            f"{SOURCES[reading.kind]}. Recomputed by the formula, no number differs from the module's by more than "
            f"{reading.difference:.1e}."
        )
    labels = maps.labels_of(walk, part, len(before))
    left, right = st.columns(2)
    with left:
        _tokens(reading, labels)
    with right:
        _channels(reading)


def _tokens(reading: NormReading, labels: list[str]) -> None:
    deviation = "deviation" if reading.kind == "layer" else "root mean square"
    lines = {"mean": reading.mean.numpy(), deviation: reading.deviation.numpy()}
    st.markdown("**Each token before the norm**")
    figure = curves(
        range(len(labels)),
        lines,
        look=layout.look().sized(-2),
        x="token",
        y="",
        labels=labels if len(labels) <= 60 else None,
        marks=len(labels) <= 60,
        height=280,
    )
    table = pd.DataFrame({"token": labels, **lines})
    charts.chart(figure, name="inside-norm-tokens", alt="Mean and deviation of each token before the norm", table=table)


def _channels(reading: NormReading) -> None:
    lines = {"γ": reading.gamma.numpy()}
    if reading.beta is not None:
        lines["β"] = reading.beta.numpy()
    st.markdown("**The weights of each channel**")
    figure = curves(
        range(len(reading.gamma)),
        lines,
        look=layout.look().sized(-2),
        x="channel",
        y="",
        tell="%{fullData.name} of channel %{x}: %{y:.3f}",
        height=280,
    )
    table = pd.DataFrame({"channel": range(len(reading.gamma)), **lines})
    charts.chart(figure, name="inside-norm-channels", alt="Gamma and beta of each channel", table=table)
