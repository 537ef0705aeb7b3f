"""Three ways: path length, sequential steps and operations of each kind of layer, by formula and for chosen sizes."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.costs.complexity import WAYS, Count, Sizes, Way, crossover
from dashboard import charts, layout
from dashboard.figures.curves import curves
from dashboard.numbers import large
from dashboard.theme import HUES
from pages.foundations.before_attention import measured_layers, notices
from pages.foundations.before_attention import words as said

TOKENS = [2**power for power in range(4, 18)]
CHANNELS = [2**power for power in range(5, 13)]
KERNELS = [2, 3, 4, 5, 7, 9, 16, 32, 64]
NEIGHBOURS = [2**power for power in range(2, 13)]
OPERATIONS, STEPS, PATH = "operations", "sequential steps", "path length"
SLIDER = 200  # pixels

_HUES = dict(zip(WAYS, (HUES[3], HUES[0], HUES[2], HUES[5], HUES[4]), strict=True))


def show() -> None:
    """The table and its curves; then the measurement."""
    sizes = _sizes()
    st.table(table(sizes), border="horizontal", width="content")
    drawn = st.segmented_control(
        "Against n", [OPERATIONS, STEPS, PATH], default=OPERATIONS, key="count", bind="query-params", required=True
    )
    _curves(sizes, drawn)
    costs = measured_layers.show()
    layout.notes(
        said.NOTES[said.WAYS],
        notice=(*notices.about_ways(sizes), *([notices.about_measured(costs)] if costs else [])),
        formula=_formula,
    )


def table(sizes: Sizes) -> pd.DataFrame:
    """Table 1 in Markdown: each formula with its number for these sizes; the smallest of a column is bold."""
    columns = {}
    for name in (OPERATIONS, STEPS, PATH):
        counts = [_count(way, name) for way in WAYS.values()]
        smallest = min(count.of(sizes) for count in counts)
        columns[name] = [_cell(count.formula, count.of(sizes), smallest) for count in counts]
    return pd.DataFrame(columns, index=[way.title for way in WAYS.values()])


def _cell(formula: str, number: int, smallest: int) -> str:
    written = f"**{large(number)}**" if number == smallest else large(number)
    return f"${formula}$\u2003{written}"


def _count(way: Way, name: str) -> Count:
    return {OPERATIONS: way.operations, STEPS: way.sequential, PATH: way.path}[name]


def _sizes() -> Sizes:
    with layout.control_bar():
        n = st.select_slider("n, tokens", TOKENS, 1024, key="n", bind="query-params", width=SLIDER)
        d = st.select_slider("d, channels of a token", CHANNELS, 512, key="d", bind="query-params", width=SLIDER)
        k = st.select_slider("k, kernel", KERNELS, 5, key="k", bind="query-params", width=SLIDER)
        r = st.select_slider("r, neighbours", NEIGHBOURS, 128, key="r", bind="query-params", width=SLIDER)
    return Sizes(n, d, k, r)


def _curves(sizes: Sizes, drawn: str) -> None:
    counted = {
        key: np.array([float(_count(way, drawn).of(Sizes(n, sizes.d, sizes.k, sizes.r))) for n in TOKENS])
        for key, way in WAYS.items()
    }
    lines, hues = _joined(counted)
    size = layout.look().letters
    figure = curves(
        TOKENS,
        lines,
        look=layout.look(),
        x="n, tokens",
        y=drawn if drawn != OPERATIONS else "operations in one layer",
        tell="%{fullData.name}, n = %{x:,}: %{y:,.3s}",
        hues=hues,
        x_log=True,
        y_log=True,
        height=layout.look().high(400),
    )
    figure.update_xaxes(tickvals=TOKENS[::2], ticktext=[f"{n:,}" for n in TOKENS[::2]])
    figure.add_vline(x=sizes.n, line={"color": layout.look().palette.accent, "dash": "dot", "width": 1.5})
    if drawn == OPERATIONS:
        _mark_crossover(figure, sizes, size)
    charts.chart(
        figure,
        name="ways",
        alt=f"How the {drawn} of each kind of layer grow with the number of tokens, both scales logarithmic",
        table=pd.DataFrame({"n": TOKENS, **{WAYS[key].title: values for key, values in counted.items()}}),
    )


def _joined(counted: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The lines by name, those that are the same everywhere as one; and their hues."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for key, values in counted.items():
        groups.setdefault(tuple(values), []).append(key)
    names = {", ".join(WAYS[key].title for key in keys).capitalize(): keys[0] for keys in groups.values()}
    return {name: counted[key] for name, key in names.items()}, {name: _HUES[key] for name, key in names.items()}


def _mark_crossover(figure: go.Figure, sizes: Sizes, size: int) -> None:
    meeting = crossover(sizes)["recurrent"]
    palette = layout.look().palette
    figure.add_trace(
        go.Scatter(
            x=[meeting],
            y=[WAYS["recurrent"].operations.of(Sizes(meeting, sizes.d, sizes.k, sizes.r))],
            name="n = d",
            mode="markers+text",
            text=["n = d"],
            textposition="bottom right",
            textfont={"color": palette.ink, "size": size},
            marker={"size": 11, "color": palette.paper, "line": {"color": palette.ink, "width": 2}},
            hovertemplate=f"n = d = {meeting:,}: self-attention and recurrence need the same<extra></extra>",
            showlegend=False,
        )
    )


def _formula() -> None:
    st.markdown(said.WAYS_FORMULA)
