"""The bias in the scores of a photograph: one score number by number, and how much of all scores is place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from core.vision.window_parts import BiasShare
from core.vision.windows import WindowLayer
from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.figures.score_bars import Column, score_bars
from dashboard.number_format import compare, signed
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.vision.swin.blocks import name_of, percent, place_of
from pages.vision.swin.compute import Scored, Windowed
from pages.vision.swin.prose import PAGE

MASKED = -100.0
HARDLY = 0.005  # of the variance of scores: a smaller difference counts as none


class Pair(NamedTuple):
    """A pair of positions in a window, as a head of a block (by its number among all) sees it."""

    block: int
    head: int
    query: int
    key: int


@dataclass(frozen=True)
class Score:
    """What the score of a pair in one window of the photograph is made of, and the weight that was recorded."""

    content: float
    bias: float
    mask: float
    weight: float
    scale: float | None  # of SwinV2, whose content is this times a cosine

    @property
    def total(self) -> float:
        """What the softmax sees."""
        return self.content + self.bias + self.mask


def take_apart(windowed: Windowed, scored: Scored, pair: Pair, window: int) -> Score:
    """The parts of one score."""
    number, head, query, key = pair
    bias = scored.biases[number]
    return Score(
        content=scored.parts.content[number][window, head, query, key].item(),
        bias=bias.matrix[head, query, key].item(),
        mask=0.0 if windowed.layers[number].allowed[window, query, key] else MASKED,
        weight=windowed.watched.record.calls[number].weights(head, item=window, queries=query)[0, key].item(),
        scale=bias.continuous.scale[head].item() if bias.continuous else None,
    )


def show_score(score: Score, layer: WindowLayer, pair: Pair, window: int) -> None:
    """Where the pair lies on the picture, and the sum as a row of a table."""
    query, key = (place_of(layer, int(layer.places[window, position])) for position in (pair.query, pair.key))
    st.markdown(
        f"In window {window} the query is the place **{query}** of the stage's grid and the key is **{key}** "
        "(row, column)."
    )
    content = {"content": score.content}
    if score.scale:
        content = {"cosine": score.content / score.scale, "× scale": score.scale, "= content": score.content}
    added = {"bias": score.bias, "mask": score.mask, "score": score.total, "weight": score.weight}
    table = pd.DataFrame([content | added])
    numbers = st.column_config.NumberColumn(format="%.4g")
    data_table(table, hide_index=True, column_config=dict.fromkeys(table.columns, numbers))
    charts.download_table(table, "swin-score")


def spelled(score: Score) -> str:
    """The sum in LaTeX, of rounded numbers: where these do not add up exactly, it says so."""
    parts = [round(part, 2) for part in (score.content, score.bias, *([score.mask] if score.mask else []))]
    summed = " + ".join(f"({part:.2f})" if part < 0 else f"{part:.2f}" for part in parts)
    equals = "=" if round(sum(parts), 2) == round(score.total, 2) else r"\approx"
    return rf"{summed} {equals} {signed(score.total)}".replace("−", "-")


def show_shares(windowed: Windowed, scored: Scored, pair: Pair, *, key: str) -> None:
    """A map of all heads to click in, and the numbers of the chosen block; `key` begins the keys of the choice."""
    st.markdown(PAGE.section("Position bias").text("Content and place"))
    left, right = st.columns([1, 1.4], gap="medium")
    with left:
        _all_heads(windowed.layers, scored, pair, key)
    with right:
        _one_block(windowed.layers[pair.block], scored.shares[pair.block], pair.head)


def shares(scored: Scored) -> np.ndarray:
    """The share of place (block, head); NaN where a block has fewer heads than others."""
    values = np.full((len(scored.shares), max(len(block.share) for block in scored.shares)), math.nan)
    for number, block in enumerate(scored.shares):
        values[number, : len(block.share)] = block.share.numpy()
    return values


def about_shares(layers: Sequence[WindowLayer], scored: Scored, pair: Pair) -> tuple[str, ...]:
    """How much of the scores of the chosen head is place, and which of all heads go by it most and least."""
    values, moved = shares(scored), float(scored.shares[pair.block].moved[pair.head])
    share, known = float(values[pair.block, pair.head]), int(np.isfinite(values).sum())
    sentence = "On this photograph its scores do not differ: there is no variance to share."
    if math.isfinite(share):
        against = ": the bias works against the content" if compare(share, 0.0, margin=HARDLY) == "less" else ""
        sentence = (
            f"On this photograph **{percent(share)}** of the variance of its scores is place and {percent(1 - share)} "
            f"content{against}. Without the bias {percent(moved)} of its weight would lie elsewhere."
        )
    if known < 2:
        return (sentence,)
    most, least = (divmod(int(find(values)), values.shape[1]) for find in (np.nanargmax, np.nanargmin))
    if compare(float(values[most]), float(values[least]), margin=HARDLY) != "more":
        return (sentence, f"All {known} heads rely on place about as much, {percent(values[most])}.")
    return (
        sentence,
        f"Of {known} heads, head {most[1]} of block {_named(layers[most[0]])} relies most on place "
        f"({percent(values[most])}), head {least[1]} of block {_named(layers[least[0]])} least "
        f"({percent(values[least])}).",
    )


def _named(layer: WindowLayer) -> str:
    return f"{layer.stage}.{layer.block}"


def _all_heads(layers: Sequence[WindowLayer], scored: Scored, pair: Pair, key: str) -> None:
    values = shares(scored)
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    largest = max(1.0, high, -low)

    def choose(number: int, head: int) -> None:
        if head < len(scored.shares[number].share):
            stages = sorted({layer.stage for layer in layers})
            st.session_state[f"{key}_stage"] = stages.index(layers[number].stage)
            st.session_state[f"{key}_block"] = layers[number].block
            st.session_state[f"{key}_head"] = head

    cell_map(
        values,
        key="bias-shares",
        x="head",
        y="block (stage.block)",
        tell="block {row}, head {column}: {value} of the variance of its scores is place",
        rows=[_named(layer) for layer in layers],
        # From 0 where no bias works against the content (or hardly: a twentieth), else around 0.
        limits=(0.0 if low > -0.05 else -largest, largest),
        marked=[(pair.block, pair.head)],
        on_click=choose,
        alt="For each block and head the share of the position bias in the variance of its scores.",
        name="swin-bias-shares",
        height=420,
    )


def _one_block(layer: WindowLayer, bias_share: BiasShare, head: int) -> None:
    heads = [f"head {number}" for number in range(len(bias_share.share))]
    measures = {
        "content ±": (bias_share.content, "content spreads the scores of a query by %{x:.2f}"),
        "bias ±": (bias_share.bias, "the bias spreads them by %{x:.2f}"),
        "share": (bias_share.share, "%{x:.1%} of the variance is place"),
        "moved": (bias_share.moved, "without its bias %{x:.1%} of the weight would lie elsewhere"),
    }
    columns = [
        Column(name, values.numpy(), f"%{{customdata}}: {tell}", percent=name in ("share", "moved"))
        for name, (values, tell) in measures.items()
    ]
    charts.chart(
        partial(score_bars, heads, columns, look=theme.look(), marked=head),
        name="swin-bias-block",
        alt=f"For each head of {name_of(layer)}: how far content and bias spread its scores, the share of the bias, "
        "and how much weight it moves.",
        table=pd.DataFrame({"head": heads, **{name: values.numpy() for name, (values, _) in measures.items()}}),
    )
