"""Rotary positions: queries and keys are turned, and their product keeps only the difference."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from core.order.positions import frequencies, rotary
from dashboard import charts, layout
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from dashboard.numbers import signed, small, whole
from pages.foundations.order import inputs, real_head
from pages.foundations.order.figures_circle import circle
from pages.foundations.order.waves import base_input
from pages.foundations.order.words import ROTARY

PLACES = 32


@dataclass(frozen=True)
class Scores:
    """One query and one key put at all pairs of places: what attention would score."""

    table: Float[Tensor, "query key"]
    spread: float  # the largest difference between two scores with the same distance


def show() -> None:
    """The whole part of the page."""
    inputs.lead(ROTARY)
    with layout.control_bar():
        tokens = inputs.sentence()
        layer, head = real_head.layer_and_head()
        base = base_input()
    call = real_head.call(tokens, layer)
    assert call.query is not None
    assert call.key is not None
    with layout.control_bar():
        asks = inputs.token("Query of", tokens, inputs.last_word(tokens), key="asks")
        found = inputs.token("Key of", tokens, 1, key="found")
        pair = inputs.slide("Pair", 0, call.query.shape[-1] // 2 - 1, 4, key="pair", width=140)
        at = inputs.slide("Query at", 0, PLACES - 1, 12, key="query_at", width=140)
        key_at = inputs.slide("Key at", 0, PLACES - 1, 7, key="key_at", width=140)
    query, key, places = call.query[0, head, asks].float(), call.key[0, head, found].float(), (at, key_at)
    result = scores(query, key, base)
    drawn, mapped = st.columns([1, 1.1], gap="large")
    with drawn:
        _circle(query, key, base, pair, places)
    with mapped:
        cell_map(
            result.table.numpy(),
            key="rotary-map",
            x="place of the key",
            y="place of the query",
            tell="query at {row}, key at {column}: score {value}",
            marked=[places],
            mark="shown in the circle",
            on_click=_put,
            alt="The score of one query and one key at all pairs of places: equal along every diagonal.",
            name="order-rotary",
        )
    _by_difference(result)
    names = (inputs.quoted(tokens.labels[asks]), inputs.quoted(tokens.labels[found]))
    layout.notes(
        ROTARY, notice=notices(result, names, places, layer, head), formula=lambda: _formula(result, places, base)
    )


def scores(query: Float[Tensor, " each"], key: Float[Tensor, " each"], base: float, places: int = PLACES) -> Scores:
    """The scaled score of the query at each place and the key at each place."""
    where = torch.arange(places)
    turned = rotary(query.expand(places, -1), where, base), rotary(key.expand(places, -1), where, base)
    table = turned[0] @ turned[1].T / math.sqrt(len(query))
    along = [table.diagonal(distance) for distance in range(1 - places, places)]
    return Scores(table, max((line.max() - line.min()).item() for line in along))


def _circle(query: Tensor, key: Tensor, base: float, pair: int, places: tuple[int, int]) -> None:
    """A pair of channels of both, turned to their places."""
    at, key_at = places
    channels = slice(2 * pair, 2 * pair + 2)
    turned = {
        f"q at {at}": rotary(query[None], torch.tensor([at]), base)[0, channels],
        f"k at {key_at}": rotary(key[None], torch.tensor([key_at]), base)[0, channels],
    }
    track = rotary(query.expand(PLACES, -1), torch.arange(PLACES), base)[:, channels].numpy()
    angles = [math.atan2(float(point[1]), float(point[0])) for point in turned.values()]
    figure = circle(
        track,
        labels=[f"the query at {place}" for place in range(PLACES)],
        arrows={name: (float(point[0]), float(point[1])) for name, point in turned.items()},
        turn=(angles[1], angles[1] + (angles[0] - angles[1] + math.pi) % (2 * math.pi) - math.pi),
        radii=[float(point.norm()) for point in turned.values()],
        look=layout.look(),
        x=f"channel {2 * pair}",
        y=f"channel {2 * pair + 1}",
        height=380,
    )
    table = pd.DataFrame({"place": range(PLACES), "x": track[:, 0], "y": track[:, 1]})
    charts.chart(
        figure,
        name="order-rotary-turn",
        alt=f"The pair {pair} of the query at place {at} and of the key at place {key_at}, as arrows.",
        table=table,
    )


def _put(query_at: int, key_at: int) -> None:
    st.session_state.query_at, st.session_state.key_at = query_at, key_at


def _by_difference(result: Scores) -> None:
    distances = np.arange(1 - PLACES, PLACES)
    lines = [result.table.diagonal(int(distance)) for distance in distances]
    figure = curves(
        distances,
        {"score": np.array([line.mean().item() for line in lines])},
        look=layout.look(),
        x="place of the key minus place of the query",
        y="score",
        tell="distance %{x}: score %{y:.3f}",
        marks=True,
        height=260,
    )
    table = pd.DataFrame(
        {
            "distance": distances,
            "mean score": [line.mean().item() for line in lines],
            "lowest": [line.min().item() for line in lines],
            "highest": [line.max().item() for line in lines],
        }
    )
    charts.chart(figure, name="order-rotary-distance", alt="The score against the distance.", table=table)


def notices(
    result: Scores, names: tuple[str, str], places: tuple[int, int], layer: int, head: int
) -> tuple[str, str, str]:
    """The score depends on the difference, and it does depend on it."""
    at, key_at = places
    step = 3 if max(places) + 3 < PLACES else -min(places)
    here, there = result.table[at, key_at].item(), result.table[at + step, key_at + step].item()
    same = result.table.diagonal(key_at - at)
    return (
        f"The query of {names[0]} at place {at} and the key of {names[1]} at place {key_at} score "
        f"**{signed(here)}**; at {at + step} and {key_at + step} they score **{signed(there)}**. All {len(same)} pairs "
        f"with the distance {whole(key_at - at)} score the same.",
        f"Along every diagonal of the map the scores agree to **{small(result.spread)}**; from one diagonal to another "
        f"they go from {signed(result.table.min().item())} to {signed(result.table.max().item())}.",
        f"The vectors are real ones of head {head} in layer {layer} of gpt-books, but it was trained with learned "
        "positions: that its queries are turned is a *what if*.",
    )


def _formula(result: Scores, places: tuple[int, int], base: float) -> None:
    st.latex(r"q_m = R_m\, q, \quad k_n = R_n\, k")
    st.latex(r"q_m^{\top} k_n = q^{\top} R_m^{\top} R_n\, k = q^{\top} R_{n-m}\, k")
    at, key_at = places
    value = result.table[at, key_at].item()
    st.latex(rf"\frac{{q_{{{at}}}^{{\top}} k_{{{key_at}}}}}{{\sqrt{{d_k}}}} = {value:.3f}")
    angles = frequencies(2 * 24, base)
    st.markdown(
        f"Each pair turns at its own speed: pair 0 by {angles[0]:.0f} radian for a place, the last of 24 by "
        f"{small(angles[-1].item())}. Pairs are neighbouring channels here; Llama pairs a channel with the one half a "
        "head further on, which is the same in another order."
    )
