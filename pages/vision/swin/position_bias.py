"""Position bias: what a head adds to a score because of where two places lie."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.vision.position_bias import LARGEST, PositionBias
from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare, integer, signed
from dashboard.output import charts
from pages.vision.swin import bias_in_scores, compute
from pages.vision.swin.bias_in_scores import Pair, Score, spelled
from pages.vision.swin.blocks import choose_block, choose_photograph, counted, name_of
from pages.vision.swin.figures import bias_tables
from pages.vision.swin.prose import PAGE

SECTION = PAGE.section("Position bias")
KEY = "bias"
HARDLY = 0.005  # of a score: biases that differ by less are the same in two digits


def show() -> None:
    """The table, the pair, its score, and how much of all scores is place."""
    main, settings = layout.bar_with_settings()
    with main:
        photo = choose_photograph(settings)
    with layout.waiting_place():
        windowed, scored = compute.watch_windows(photo), compute.take_scores_apart(photo)
    with main:
        block = choose_block(windowed.layers, key=KEY)
        layer, bias = windowed.layers[block], scored.biases[block]
        heads, positions = bias.table.shape[0], bias.window[0] * bias.window[1]
        head = controls.number("Head", heads, key=f"{KEY}_head")
    with settings:
        query = controls.number("Query", positions, key=f"{KEY}_query", first=positions // 2)
        key = controls.number("Key", positions, key=f"{KEY}_key", first=positions // 2 + 1)
    pair = Pair(block, head, query, key)
    _maps(bias, pair)
    layout.place_notice()
    if heads > 1:
        _heads(bias, head, name_of(layer))
    layout.heading("One score of this photograph, number by number")
    window = controls.number("Window", len(layer.places), key=f"{KEY}_window")
    score = bias_in_scores.take_apart(windowed, scored, pair, window)
    bias_in_scores.show_score(score, layer, pair, window)
    if bias.continuous:
        _continuous(bias, pair)
    layout.heading("How much is content, how much is place?")
    bias_in_scores.show_shares(windowed, scored, pair, key=KEY)
    layout.notes(
        SECTION,
        notice=(*about_bias(bias, head, name_of(layer)), *bias_in_scores.about_shares(windowed.layers, scored, pair)),
        numbers=_numbers(bias, pair, score, window),
    )


def about_bias(bias: PositionBias, head: int, block: str) -> tuple[str, str]:
    """How pairs share biases, and which places the head of a block is drawn to by its bias."""
    places, numbers = bias.window[0] * bias.window[1], bias.table[0].numel()
    made = "computed by one small network" if bias.continuous else "learned one by one"
    table = bias.table[head].numpy()
    best, worst = (np.unravel_index(place, table.shape) for place in (table.argmax(), table.argmin()))
    if compare(float(table[best]), float(table[worst]), margin=HARDLY) != "more":
        drawn = f"Head {head} of {block} adds about the same at every distance: {signed(float(table[best]))}."
    else:
        drawn = (
            f"By its bias head {head} of {block} favours keys **{direction(best, bias.window)}** most "
            f"({signed(float(table[best]))}), keys {direction(worst, bias.window)} least "
            f"({signed(float(table[worst]))}). For the place itself it adds "
            f"{signed(float(table[bias.window[0] - 1, bias.window[1] - 1]))}."
        )
    return (
        f"A window of {bias.window[0]} × {bias.window[1]} places has {places**2:,} pairs, and each head **{numbers}** "
        f"biases, {made}: pairs at the same distance share one.",
        drawn,
    )


def direction(cell: tuple, window: tuple[int, int]) -> str:
    """Where the key lies, seen from the query, for a cell of the table: distances there are query minus key."""
    down, across = int(cell[0]) - window[0] + 1, int(cell[1]) - window[1] + 1
    parts = []
    if down:
        parts.append(f"{counted(abs(down), 'row')} {'above' if down > 0 else 'below'}")
    if across:
        parts.append(f"{counted(abs(across), 'column')} to the {'left' if across > 0 else 'right'}")
    return " and ".join(parts) or "in the same place"


def _maps(bias: PositionBias, pair: Pair) -> None:
    table, (rows, columns) = bias.table[pair.head].numpy(), bias.window
    down, across = bias.distance(pair.query, pair.key)
    largest = float(np.abs(table).max()) or 1.0
    # SwinV2's biases are never negative.
    show = partial(cell_map, limits=(0.0 if bias.continuous else -largest, largest), height=380)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(SECTION.text("Bias by distance", head=pair.head))
        show(
            table,
            key="bias-table",
            x="columns from the key to the query",
            y="rows from the key to the query",
            tell="{row} rows and {column} columns: {value} is added",
            rows=[integer(place - rows + 1) for place in range(table.shape[0])],
            columns=[integer(place - columns + 1) for place in range(table.shape[1])],
            marked=[(down + rows - 1, across + columns - 1)],
            mark="the distance of the chosen pair",
            on_click=partial(_choose_distance, bias),
            alt=f"The position bias of head {pair.head} for each distance in rows and columns.",
            name="swin-bias-table",
        )
    with right:
        st.markdown(SECTION.text("Bias by pair"))
        names = [f"{place // columns}, {place % columns}" for place in range(rows * columns)]
        show(
            bias.matrix[pair.head].numpy(),
            key="bias-added",
            x="key (row, column)",
            y="query (row, column)",
            tell="query {row}, key {column}: {value} is added",
            rows=names,
            columns=names,
            marked=[(pair.query, pair.key)],
            mark="the chosen pair",
            on_click=_choose_pair,
            alt=f"The position bias of head {pair.head} for each pair of places in a window.",
            name="swin-bias-added",
        )


def _choose_pair(query: int, key: int) -> None:
    st.session_state[f"{KEY}_query"], st.session_state[f"{KEY}_key"] = query, key


def _choose_distance(bias: PositionBias, row: int, column: int) -> None:
    """Of all pairs at a distance: the one nearest to the upper left corner."""
    rows, columns = bias.window
    down, across = row - rows + 1, column - columns + 1
    _choose_pair(max(down, 0) * columns + max(across, 0), max(-down, 0) * columns + max(-across, 0))


def _heads(bias: PositionBias, chosen: int, block: str) -> None:
    st.markdown(SECTION.text("Heads of a block"))
    head, row, column = np.indices(bias.table.shape).reshape(3, -1)
    values = {
        "head": head,
        "rows": row - bias.window[0] + 1,
        "columns": column - bias.window[1] + 1,
        "bias": bias.table.numpy().ravel(),
    }
    charts.chart(
        partial(bias_tables, bias.table.numpy(), look=theme.look(), chosen=chosen, signed=bias.continuous is None),
        name="swin-bias-heads",
        alt=f"The position biases of all {bias.table.shape[0]} heads of {block}, by distance.",
        table=pd.DataFrame(values),
    )


def _continuous(bias: PositionBias, pair: Pair) -> None:
    """SwinV2: the logarithmic scale of distances, what the network answers, and the scales of the cosines."""
    assert bias.continuous
    layout.heading("From distance to bias")
    st.markdown(SECTION.text("Continuous position bias"))
    (rows, columns), (down, across) = bias.window, bias.distance(pair.query, pair.key)
    distances, logged = np.arange(1 - columns, columns), bias.continuous.coordinates[rows - 1, :, 1].numpy()
    even = distances / max(columns - 1, 1) * (np.abs(logged).max() or 1.0)
    lines = {"what the network is asked": logged, "an even scale": even}
    cell = (slice(None), down + rows - 1, across + columns - 1)
    answers, added = bias.continuous.network_output[cell].numpy(), bias.table[cell].numpy()
    scale = bias.continuous.scale.numpy()
    heads = [f"head {head}" for head in range(len(scale))]
    left, right = st.columns(2, gap="medium")
    with left:
        charts.chart(
            partial(
                curves,
                distances,
                lines,
                look=theme.look(),
                x="columns from the key to the query",
                y="coordinate",
                tell="%{fullData.name}: %{x} columns are %{y:.3f}",
            ),
            name="swin-bias-coordinates",
            alt="The coordinate of each distance in columns: logarithmic, beside an even scale.",
            table=pd.DataFrame({"columns": distances, **lines}),
        )
    with right:
        columns_of = [
            Column("scale of cosines", scale, "%{customdata} multiplies its cosines with %{x:.2f}"),
            Column("answer", answers, "%{customdata} is answered %{x:.2f} at this distance"),
            Column(f"{LARGEST:.0f} sigmoid(answer)", added, "%{customdata} gets the bias %{x:.2f}"),
        ]
        charts.chart(
            partial(score_bars, heads, columns_of, look=theme.look(), marked=pair.head),
            name="swin-bias-scales",
            alt="For each head the scale of its cosines, the network's answer at the chosen distance, and the bias.",
            table=pd.DataFrame({"head": heads, "scale": scale, "answer": answers, "bias": added}),
        )


def _numbers(bias: PositionBias, pair: Pair, score: Score, window: int) -> dict[str, object]:
    """Which number of the table the pair gets, where SwinV2 has it from, and the score that it is added to."""
    (down, across), (rows, columns) = bias.distance(pair.query, pair.key), bias.window
    network = ""
    if bias.continuous:
        cell = (down + rows - 1, across + columns - 1)
        first, second = (float(coordinate) for coordinate in bias.continuous.coordinates[cell])
        output = float(bias.continuous.network_output[(pair.head, *cell)])
        network = SECTION.text("Output of the network", first=first, second=second, output=output, bias=score.bias)
    return {
        "bias_formula": SECTION.text("Bias from a network" if bias.continuous else "Bias from a table"),
        "rows": counted(down, "row"),
        "columns": counted(across, "column"),
        "down": down,
        "first_row": rows - 1,
        "width": 2 * columns - 1,
        "across": across,
        "first_column": columns - 1,
        "index": int(bias.index[pair.query, pair.key]),
        "network": network,
        "window": window,
        "score": spelled(score),
        "weight": score.weight,
        "bias": signed(score.bias),
    }
