"""The residual stream: how long each token's vector is after each block, and who made it so."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.interpretability import ResidualStream
from dashboard import theme, typeset
from dashboard.figures.curves import curves
from dashboard.figures.heat import heat
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.comparisons import join_names, leading
from pages.foundations.inside_the_transformer import compute, words
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.lens import point_names

CLOSE = 0.005  # of a vector's length: shares that differ by less read the same


def show(walk: Walk) -> None:
    """Lengths by layer and token, and what each branch adds."""
    lanes = {lane.name: lane for lane in walk.walked.lanes if lane.stacks}
    side = list(lanes)[-1]
    if len(lanes) > 1:
        side = controls.choice("Side", lanes, key="side", first=side)
    if len(lanes[side].stacks) > 1:
        st.caption(words.LAST_STACK.format(stacks=len(lanes[side].stacks)))
    stream = compute.residual_stream(walk, side)
    labels = [typeset.readable(label) for label in walk.labels_of(lanes[side], stream.points[0].shape[0])]
    _lengths(stream, labels)
    if stream.branches:
        _shares(stream)
    layout.notes(words.STREAM_NOTES, notice=noticed(stream, labels), formula=lambda: _explain(stream))


def noticed(stream: ResidualStream, labels: list[str]) -> tuple[str, ...]:
    """How the stream grows, who stands out, who adds most."""
    lengths = stream.lengths
    start, end = lengths[0].median().item(), lengths[-1].median().item()
    sentences = [
        f"Before the first block the median length of a token's vector is {start:.1f}, after the last **{end:.1f}**"
        + (f": {end / start:.1f} times." if start else ".")
    ]
    longest = int(lengths[-1].argmax())
    if lengths[-1, longest].item() > 1.5 * end > 0:
        sentences.append(
            f"“{typeset.plain(labels[longest])}” (token {longest}) stands out: after the last block its vector is "
            f"**{lengths[-1, longest].item() / end:.1f} times** as long as the median."
        )
    steps = [(share, added) for added in stream.branches if np.isfinite(share := _step(added.before, added.added))]
    if steps:
        sentences.append(_about_steps({f"the {added.kind} of block {added.block}": share for share, added in steps}))
    return tuple(sentences)


def _about_steps(shares: Mapping[str, float]) -> str:
    """Which part adds most for the stream's length, or which two, if they differ by less than CLOSE."""
    first = leading(shares, CLOSE)
    if len(first) > 2:
        return (
            f"No single step is the largest: {len(first)} of {len(shares)} add to a token on average "
            f"**{shares[first[0]]:.0%}** of the length of the vector before it."
        )
    step, adds = ("step", "it adds") if len(first) == 1 else ("steps", "they add")
    is_that = "is that" if len(first) == 1 else "are those"
    return (
        f"The largest {step}, measured against the stream it is added to, {is_that} of {join_names(first)}: what "
        f"{adds} to a token is on average **{shares[first[0]]:.0%}** as long as the vector before it."
    )


def _step(before, added) -> float:
    return (added / before).mean().item()


def _lengths(stream: ResidualStream, labels: list[str]) -> None:
    st.subheader("How long is each token's vector?", anchor=False)
    lengths = stream.lengths.numpy()
    figure = partial(
        heat,
        lengths,
        look=theme.look(),
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


def _shares(stream: ResidualStream) -> None:
    st.subheader("Who adds how much?", anchor=False)
    blocks = range(len(stream.points) - 1)
    lines = {kind: np.full(len(blocks), np.nan) for kind in stream.kinds}
    for added in stream.branches:
        lines[added.kind][added.block] = _step(added.before, added.added)
    figure = curves(
        blocks,
        lines,
        look=theme.look(),
        x="block",
        y="length added / length before",
        tell="What %{fullData.name} of block %{x} adds is on average %{y:.0%} as long as the vector before it",
        marks=True,
        y_log=True,
        height=340,
    )
    figure.update_yaxes(tickformat=".0%", dtick=1)
    figure.update_xaxes(dtick=1 if len(blocks) <= 24 else None)
    table = pd.DataFrame({"block": list(blocks), **lines})
    charts.chart(figure, name="inside-added", alt="What attention and MLP add in each block", table=table)


def _explain(stream: ResidualStream) -> None:
    """The stream as a sum."""
    st.latex(r"x_L = x_0 + \sum_{l=1}^{L} \big(\mathrm{attention}_l + \mathrm{MLP}_l\big)")
    st.markdown(
        f"The vector of each token, {stream.points[0].shape[-1]} numbers, is read before the first of "
        f"{len(stream.points) - 1} blocks and after each. Lengths are Euclidean. Where norms stand on the stream "
        "itself (post-norm), the sum holds only until the next norm."
    )
