"""SwinV2: how a distance becomes a bias, and by how much each head multiplies its cosines."""

import numpy as np
import pandas as pd
import streamlit as st

from core.vision.position_bias import LARGEST, PositionBias
from dashboard import charts, layout
from dashboard.figures.curves import curves
from dashboard.figures.score_bars import Column, score_bars
from pages.vision.swin import words_bias as said
from pages.vision.swin.score_part import Pair


def show(bias: PositionBias, pair: Pair) -> None:
    """The logarithmic scale, what the network answers along it, and the scales of the cosines."""
    st.markdown(said.CONTINUOUS_ABOUT)
    left, right = st.columns(2, gap="medium")
    with left:
        _coordinates(bias)
    with right:
        _scales(bias, pair)


def _coordinates(bias: PositionBias) -> None:
    assert bias.continuous
    columns = bias.window[1]
    distances = np.arange(1 - columns, columns)
    logged = bias.continuous.coordinates[bias.window[0] - 1, :, 1].numpy()
    largest = np.abs(logged).max() or 1.0
    lines = {"what the network is asked": logged, "an even scale": distances / max(columns - 1, 1) * largest}
    charts.chart(
        curves(
            distances,
            lines,
            look=layout.look(),
            x="columns from the key to the query",
            y="coordinate",
            tell="%{fullData.name}: %{x} columns are %{y:.3f}",
        ),
        name="swin-bias-coordinates",
        alt="The coordinate of each distance in columns: logarithmic, beside an even scale.",
        table=pd.DataFrame({"columns": distances, **lines}),
    )


def _scales(bias: PositionBias, pair: Pair) -> None:
    assert bias.continuous
    down, across = bias.distance(pair.query, pair.key)
    cell = (down + bias.window[0] - 1, across + bias.window[1] - 1)
    answers, added = bias.continuous.answer[:, *cell].numpy(), bias.table[:, *cell].numpy()
    scale = bias.continuous.scale.numpy()
    heads = [f"head {head}" for head in range(len(scale))]
    charts.chart(
        score_bars(
            heads,
            [
                Column("scale of cosines", scale, "%{customdata} multiplies its cosines with %{x:.2f}"),
                Column("answer", answers, "%{customdata} is answered %{x:.2f} at this distance"),
                Column(f"{LARGEST:.0f} sigmoid(answer)", added, "%{customdata} gets the bias %{x:.2f}"),
            ],
            look=layout.look(),
            marked=pair.head,
        ),
        name="swin-bias-scales",
        alt="For each head the scale of its cosines, the network's answer at the chosen distance, and the bias.",
        table=pd.DataFrame({"head": heads, "scale": scale, "answer": answers, "bias": added}),
    )
