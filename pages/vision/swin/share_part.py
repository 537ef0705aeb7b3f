"""How much of the scores of this photograph is content, and how much is place: all heads, then one block's."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.vision.windows import WindowLayer
from dashboard import charts, layout
from dashboard.components.cell_map import cell_map
from dashboard.figures.score_bars import Column, score_bars
from pages.vision.swin import words_bias as said
from pages.vision.swin.chosen import Chosen
from pages.vision.swin.compute import Scored, Windowed


def show(windowed: Windowed, scored: Scored, chosen: Chosen, *, key: str) -> None:
    """A map of all heads to click in, and the numbers of the chosen block."""
    st.markdown(said.PLACE_ABOUT)
    left, right = st.columns([1, 1.4], gap="medium")
    with left:
        _all_heads(windowed.layers, scored, chosen, key)
    with right:
        _one_block(scored, chosen, key)


def shares(scored: Scored) -> np.ndarray:
    """The share of place (block, head); NaN where a block has fewer heads than others."""
    heads = max(len(each.share) for each in scored.shares)
    values = np.full((len(scored.shares), heads), math.nan)
    for number, each in enumerate(scored.shares):
        values[number, : len(each.share)] = each.share.numpy()
    return values


def _all_heads(layers: Sequence[WindowLayer], scored: Scored, chosen: Chosen, key: str) -> None:
    values = shares(scored)
    head = min(st.session_state.get(f"{key}_head") or 0, values.shape[1] - 1)

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
        rows=[f"{layer.stage}.{layer.block}" for layer in layers],
        limits=_limits(values),
        marked=[(chosen.number, head)],
        on_click=choose,
        alt="For each block and head the share of the position bias in the variance of its scores.",
        name="swin-bias-shares",
        height=420,
    )


def _limits(values: np.ndarray) -> tuple[float, float]:
    """From 0 to 1 where no bias works against the content (or hardly: a twentieth), else around 0."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    largest = max(1.0, high, -low)
    return (0.0 if low > -0.05 else -largest), largest


def _one_block(scored: Scored, chosen: Chosen, key: str) -> None:
    found = scored.shares[chosen.number]
    heads = [f"head {head}" for head in range(len(found.share))]
    numbers = {
        "content ±": found.content.numpy(),
        "bias ±": found.bias.numpy(),
        "share": found.share.numpy(),
        "moved": found.moved.numpy(),
    }
    tell = (
        "%{customdata}: content spreads the scores of a query by %{x:.2f}",
        "%{customdata}: the bias spreads them by %{x:.2f}",
        "%{customdata}: %{x:.1%} of the variance is place",
        "%{customdata}: without its bias %{x:.1%} of the weight would lie elsewhere",
    )
    head = min(st.session_state.get(f"{key}_head") or 0, len(heads) - 1)
    charts.chart(
        score_bars(
            heads,
            [
                Column(name, values, told, percent=name in ("share", "moved"))
                for (name, values), told in zip(numbers.items(), tell, strict=True)
            ],
            look=layout.look(),
            marked=head,
        ),
        name="swin-bias-block",
        alt=f"For each head of {chosen.name}: how far content and bias spread its scores, the share of the bias, and "
        "how much weight it moves.",
        table=pd.DataFrame({"head": heads, **numbers}),
    )
