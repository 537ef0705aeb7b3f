"""The residual stream: how long each token's vector is after each block, and who made it so."""

import numpy as np
import pandas as pd
import streamlit as st

from core.anatomy import Stream
from dashboard import charts, layout
from dashboard.figures.curves import curves
from dashboard.figures.heat import heat
from pages.foundations.inside_the_transformer import compute as inside
from pages.foundations.inside_the_transformer import formulas, notices
from pages.foundations.inside_the_transformer import words as words_inside
from pages.foundations.inside_the_transformer.compute import Walk


def show(walk: Walk) -> None:
    """Lengths by layer and token, and what each branch adds."""
    lanes = [lane for lane in walk.walked.lanes if lane.stacks]
    names = [lane.name for lane in lanes]
    lane = lanes[-1]
    if len(lanes) > 1:
        side = st.segmented_control("Side", names, default=names[-1], key="side", bind="query-params", required=True)
        lane = lanes[names.index(side)]
    stream = inside.stream(walk, lane.stacks[-1])
    labels = [layout.readable(label) for label in walk.labels_of(lane, stream.points[0].shape[0])]
    _lengths(stream, labels)
    _shares(stream)
    layout.notes(
        words_inside.INSIDE, notice=notices.stream_notices(stream, labels), formula=lambda: formulas.stream(stream)
    )


def _lengths(stream: Stream, labels: list[str]) -> None:
    st.subheader("How long is each token's vector?", anchor=False)
    lengths = stream.lengths.numpy()
    figure = heat(
        lengths,
        look=layout.look(),
        x="token",
        y="after block",
        rows=point_names(len(lengths)),
        columns=labels if len(labels) <= 60 else None,
        tell="“%{x}” after block %{y}: length %{z:.1f}",
        height=110 + 26 * len(lengths),
    )
    table = pd.DataFrame(lengths.T, columns=point_names(len(lengths)))
    table.insert(0, "token", labels)
    charts.chart(figure, name="inside-stream", alt="Length of each token's vector after each block", table=table)


def _shares(stream: Stream) -> None:
    if not stream.added:
        return
    st.subheader("Who adds how much?", anchor=False)
    blocks = range(len(stream.points) - 1)
    lines = {kind: np.full(len(blocks), np.nan) for kind in stream.kinds}
    for added in stream.added:
        lines[added.kind][added.block] = (added.added / added.before).mean().item()
    figure = curves(
        blocks,
        lines,
        look=layout.look(),
        x="block",
        y="length added / length before",
        tell="%{fullData.name} of block %{x} adds %{y:.0%} of the length that is there",
        marks=True,
        y_log=True,
        height=340,
    )
    figure.update_yaxes(tickformat=".0%", dtick=1)
    figure.update_xaxes(dtick=1 if len(blocks) <= 24 else None)
    table = pd.DataFrame({"block": list(blocks), **lines})
    charts.chart(figure, name="inside-added", alt="What attention and MLP add in each block", table=table)


def point_names(count: int) -> list[str]:
    """The places along the stream: before the first block, and after each."""
    return ["input", *map(str, range(count - 1))]
