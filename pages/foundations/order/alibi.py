"""ALiBi: distance is taken off the score, by each head at its own rate."""

import math

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from core.capture import AttentionCall
from core.heads.measures import mean_distance
from core.order.positions import alibi, alibi_slopes, distances
from dashboard import charts, layout
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from pages.foundations.order import inputs, real_head
from pages.foundations.order.words import ALIBI


def show() -> None:
    """The whole part of the page."""
    inputs.lead(ALIBI)
    with layout.control_bar():
        tokens = inputs.sentence()
        layer, head = real_head.layer_and_head()
    call = real_head.call(tokens, layer)
    before, after = call.weights(head), with_bias(call, head)
    bias = alibi(call.heads, len(tokens), len(tokens))[head]
    names = inputs.words(tokens)
    most = max(1, math.ceil(-bias.min()))
    maps = (
        ("As it is", before, 1.0, "“{row}” gives {value} to “{column}”", "order-alibi-before"),
        ("What ALiBi takes off", -bias, most, "“{row}” scores “{column}” {value} less", "order-alibi-bias"),
        ("With ALiBi: a what if", after, 1.0, "“{row}” would give {value} to “{column}”", "order-alibi-after"),
    )
    for place, (title, values, end, tell, name) in zip(st.columns(3, gap="medium"), maps, strict=True):
        with place:
            st.markdown(f"**{title}**")
            cell_map(
                _seen(values).numpy(),
                key=name,
                x="key",
                y="query",
                tell=tell,
                rows=names,
                columns=names,
                limits=(0.0, float(end)),
                alt=f"{title}: head {head} of layer {layer}, query by key.",
                name=name,
            )
    if not layout.is_presented():
        st.caption("A what if: gpt-books was trained without ALiBi, with a learned vector for each position.")
    _slopes(call.heads, head)
    layout.notes(ALIBI, notice=notices(before, after, call.heads, head), formula=lambda: _formula(call, head))


def with_bias(call: AttentionCall, head: int) -> Float[Tensor, "query key"]:
    """The weights of a causal head, had ALiBi's bias been added to its scores."""
    bias = alibi(call.heads, call.query_length, call.key_length)[head]
    ahead = distances(call.query_length, call.key_length) > 0
    return (call.scores(head) + bias).masked_fill(ahead, -torch.inf).softmax(dim=-1)


def _seen(values: Float[Tensor, "query key"]) -> Float[Tensor, "query key"]:
    """Without the places that the causal mask hides anyway."""
    return values.masked_fill(distances(*values.shape) > 0, torch.nan)


def _slopes(heads: int, chosen: int) -> None:
    away = np.arange(0, 33)
    slopes = alibi_slopes(heads).tolist()
    lines = {f"head {head}, slope {written(slope)}": -slope * away for head, slope in enumerate(slopes)}
    figure = curves(
        away,
        lines,
        look=layout.look(),
        x="tokens of distance",
        y="added to the score",
        tell="%{fullData.name}<br>%{x} tokens away: %{y:.2f}",
        height=300,
    )
    for head, trace in enumerate(figure.data):
        trace.line.width = 4.5 if head == chosen else 1.8
    table = pd.DataFrame({"distance": away, **lines})
    charts.chart(figure, name="order-alibi-slopes", alt="A straight line for each head, each less steep.", table=table)


def notices(
    before: Float[Tensor, "query key"], after: Float[Tensor, "query key"], heads: int, head: int
) -> tuple[str, ...]:
    """How far the head looked, and would look; the slopes."""
    slopes = alibi_slopes(heads).tolist()
    was, would = mean_distance(before).item(), mean_distance(after).item()
    change = "nearer" if would < was - 0.05 else "no nearer"
    return (
        f"Head {head} looks **{was:.1f}** tokens away on average; with ALiBi it would look **{would:.1f}** away, "
        f"{change}. It was not trained with it: a what if.",
        f"Its slope is {written(slopes[head])}: a key 10 tokens away loses {10 * slopes[head]:.2g} of its score, which "
        f"divides its weight against a key at hand by {np.exp(10 * slopes[head]):,.3g}.",
        f"The slopes of the {heads} heads go from {written(max(slopes))} to {written(min(slopes))}: some heads can see "
        "the neighbourhood only, others almost everything. Nothing of this is learned.",
    )


def written(slope: float) -> str:
    """A slope as a fraction, 1/256, where it is one; else in three digits."""
    parts = round(1 / slope)
    return f"1/{parts}" if abs(slope * parts - 1) < 1e-6 else f"{slope:.3g}"


def _formula(call: AttentionCall, head: int) -> None:
    slope = alibi_slopes(call.heads)[head].item()
    last = call.key_length - 1
    st.latex(r"\operatorname{softmax}\left(q_i K^{\top} - m \cdot [i-1, \ldots, 2, 1, 0]\right)")
    st.latex(rf"m = {written(slope)} \quad \text{{in head {head} of {call.heads}}}")
    st.latex(rf"\text{{last to first: }} -{written(slope)} \cdot {last} = -{slope * last:.3g}")
    st.caption(
        "For a power of two the slopes are 2^(−8/n), its square, its cube …; for other numbers of heads those of the "
        "next lower power come first, then every second one of the next higher."
    )
