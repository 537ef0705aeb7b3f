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
from pages.foundations.inside_the_transformer import compute, inputs
from pages.foundations.inside_the_transformer.lens import point_names
from pages.foundations.inside_the_transformer.prose import PAGE

SECTION = PAGE.section("Stream")
CLOSE = 0.005  # of a vector's length: shares that differ by less read the same


def show() -> None:
    """Lengths by layer and token, and what each branch adds."""
    walk = inputs.walked_through()
    lanes = {lane.name: lane for lane in walk.walked.lanes if lane.stacks}
    side = list(lanes)[-1]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**The length of each token's vector after each block**", width="content")
        if len(lanes) > 1:
            side = controls.choice("Side", lanes, key="side", first=side, label_visibility="collapsed")
    stream = compute.residual_stream(walk, side)
    labels = [typeset.readable(label) for label in walk.labels_of(lanes[side], stream.points[0].shape[0])]
    _lengths(stream, labels)
    layout.place_notice()
    if len(lanes[side].stacks) > 1:
        layout.caption(SECTION.text("Last stack", stacks=len(lanes[side].stacks)))
    if stream.branches:
        _shares(stream)
    layout.notes(
        SECTION,
        notice=noticed(stream, labels),
        numbers={"width": stream.points[0].shape[-1], "blocks": len(stream.points) - 1},
    )


def noticed(stream: ResidualStream, labels: list[str]) -> tuple[str, ...]:
    """How the stream grows, who stands out, who adds most."""
    lengths = stream.lengths
    start, end = lengths[0].median().item(), lengths[-1].median().item()
    sentences = [
        f"The median length of a token's vector is {start:.1f} before the first block and **{end:.1f}** after the last"
        + (f", {end / start:.1f} times as long." if start else ".")
    ]
    longest = int(lengths[-1].argmax())
    if lengths[-1, longest].item() > 1.5 * end > 0:
        sentences.append(
            f"After the last block the vector of “{typeset.plain(labels[longest])}” (token {longest}) is "
            f"**{lengths[-1, longest].item() / end:.1f} times** as long as the median."
        )
    steps = [(share, added) for added in stream.branches if np.isfinite(share := _step(added.before, added.added))]
    if steps:
        sentences.append(_about_steps({f"the {added.kind} of block {added.block}": share for share, added in steps}))
    return tuple(sentences)


def _about_steps(shares: Mapping[str, float]) -> str:
    """Which part adds most, relative to the vector before it, or which two, if they differ by less than CLOSE."""
    first = leading(shares, CLOSE)
    if len(first) > 2:
        return (
            f"No single step adds most: {len(first)} of {len(shares)} add on average **{shares[first[0]]:.0%}** of the "
            "length of the vector before them."
        )
    names = join_names(first)
    return (
        f"{names[0].upper()}{names[1:]} {'adds' if len(first) == 1 else 'add'} most: on average "
        f"**{shares[first[0]]:.0%}** of the length of the vector before {'it' if len(first) == 1 else 'them'}."
    )


def _step(before, added) -> float:
    return (added / before).mean().item()


def _lengths(stream: ResidualStream, labels: list[str]) -> None:
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
    st.subheader("How much do attention and MLP add?", anchor=False)
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
        tell="%{fullData.name} of block %{x} adds on average %{y:.0%} of the length of the vector before it",
        marks=True,
        y_log=True,
        height=340,
    )
    figure.update_yaxes(tickformat=".0%", dtick=1)
    figure.update_xaxes(dtick=1 if len(blocks) <= 24 else None)
    table = pd.DataFrame({"block": list(blocks), **lines})
    charts.chart(figure, name="inside-added", alt="What attention and MLP add in each block", table=table)
