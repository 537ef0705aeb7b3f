"""Position bias: what a head adds to a score because of where two places lie."""

import numpy as np
import streamlit as st

from core.vision.position_bias import PositionBias
from dashboard import charts, controls, layout
from dashboard import photograph as shared
from dashboard.components.cell_map import cell_map
from dashboard.numbers import whole
from pages.vision.swin import bias_formula, bias_notices, continuous_part, score_part, share_part
from pages.vision.swin import chosen as choices
from pages.vision.swin import compute as kept
from pages.vision.swin import words_bias as said
from pages.vision.swin.compute import Scored, Windowed
from pages.vision.swin.figures_bias_tables import bias_tables
from pages.vision.swin.score_part import Pair

KEY = "bias"


def show() -> None:
    """The table, the pair, its score, and how much of all scores is place."""
    given = shared.choose(shared.WINDOWED)
    with layout.waiting_place(), st.spinner("Taking the scores apart …"):
        windowed = kept.watch_windows(given.name, given.picture, given.resolution)
        scored = kept.take_scores_apart(given.name, given.picture, given.resolution)
    with layout.control_bar():
        chosen = choices.block(windowed.layers, key=KEY)
        bias = scored.biases[chosen.number]
        heads, positions = bias.table.shape[0], bias.window[0] * bias.window[1]
        head = controls.number("Head", heads, key=f"{KEY}_head")
        query = controls.number("Query", positions, key=f"{KEY}_query", first=positions // 2)
        key = controls.number("Key", positions, key=f"{KEY}_key", first=positions // 2 + 1)
    pair = Pair(chosen, head, query, key)
    _maps(bias, pair)
    _heads(bias, pair)
    score = _score(windowed, scored, pair)
    if bias.continuous:
        st.subheader(said.CONTINUOUS, anchor=False)
        continuous_part.show(bias, pair)
    st.subheader(said.PLACE, anchor=False)
    share_part.show(windowed, scored, chosen, key=KEY)
    layout.notes(
        said.NOTES,
        notice=bias_notices.about(windowed.layers, scored, pair),
        formula=lambda: bias_formula.show(bias, pair, score),
    )


def _maps(bias: PositionBias, pair: Pair) -> None:
    table, added = bias.table[pair.head].numpy(), bias.added[pair.head].numpy()
    (down, across), (rows, columns) = bias.distance(pair.query, pair.key), bias.window
    limits = limits_of(bias, pair.head)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(said.TABLE.format(head=pair.head))
        cell_map(
            table,
            key="bias-table",
            x="columns from the key to the query",
            y="rows from the key to the query",
            tell="{row} rows and {column} columns: {value} is added",
            rows=[whole(place - rows + 1) for place in range(table.shape[0])],
            columns=[whole(place - columns + 1) for place in range(table.shape[1])],
            limits=limits,
            marked=[(down + rows - 1, across + columns - 1)],
            mark="the distance of the chosen pair",
            on_click=_choose_distance(bias),
            alt=f"The position bias of head {pair.head} for each distance in rows and columns.",
            name="swin-bias-table",
            height=380,
        )
    with right:
        st.markdown(said.ADDED)
        names = [f"{place // columns}, {place % columns}" for place in range(rows * columns)]
        cell_map(
            added,
            key="bias-added",
            x="key (row, column)",
            y="query (row, column)",
            tell="query {row}, key {column}: {value} is added",
            rows=names,
            columns=names,
            limits=limits,
            marked=[(pair.query, pair.key)],
            mark="the chosen pair",
            on_click=_choose_pair,
            alt=f"The position bias of head {pair.head} for each pair of places in a window.",
            name="swin-bias-added",
            height=380,
        )


def _heads(bias: PositionBias, pair: Pair) -> None:
    if bias.table.shape[0] < 2:
        return
    st.markdown(said.HEADS)
    charts.chart(
        bias_tables(
            bias.table.numpy(),
            look=layout.look(),
            chosen=pair.head,
            signed=bias.continuous is None,
        ),
        name="swin-bias-heads",
        alt=f"The position biases of all {bias.table.shape[0]} heads of {pair.chosen.name}, by distance.",
        table=bias_notices.table_of_biases(bias),
    )


def _score(windowed: Windowed, scored: Scored, pair: Pair) -> score_part.Score:
    st.subheader(said.PAIR, anchor=False)
    window = controls.number("Window", len(pair.chosen.layer.places), key=f"{KEY}_window")
    score = score_part.taken_apart(windowed, scored, pair, window)
    score_part.show(score)
    return score


def limits_of(bias: PositionBias, head: int) -> tuple[float, float]:
    """Both ends of the scale: around 0 for a table, from 0 for SwinV2, whose biases are never negative."""
    largest = float(np.abs(bias.table[head].numpy()).max()) or 1.0
    return (0.0 if bias.continuous else -largest), largest


def _choose_pair(query: int, key: int) -> None:
    st.session_state[f"{KEY}_query"], st.session_state[f"{KEY}_key"] = query, key


def _choose_distance(bias: PositionBias):
    """Of all pairs at a distance: the one nearest to the upper left corner."""
    rows, columns = bias.window

    def choose(row: int, column: int) -> None:
        down, across = row - rows + 1, column - columns + 1
        query = max(down, 0) * columns + max(across, 0)
        _choose_pair(query, max(-down, 0) * columns + max(-across, 0))

    return choose
