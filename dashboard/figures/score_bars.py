"""Several numbers for each token of a list, as columns of bars with the numbers beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.number_format import signed
from dashboard.theme import Look

GAP = 0.03  # between two columns, as a share of the width
ROOM = 0.75  # for the numbers beside the bars, as a share of the longest bar


@dataclass(frozen=True)
class Column:
    """One number for each token; NaN leaves the place empty."""

    title: str
    values: np.ndarray
    tell: str  # Plotly's template for the sentence below the pointer: %{customdata} is the token, %{x} the number
    percent: bool = False
    colour: str | None = None  # the palette's own without it; bars below 0 have that of negative values


def score_bars(tokens: Sequence[str], columns: Sequence[Column], *, look: Look, marked: int | None = None) -> go.Figure:
    """A row for each token, the first on top; each column has a scale of its own. The token `marked` is shaded."""
    figure = go.Figure()
    width = (1 - GAP * (len(columns) - 1)) / len(columns)
    names = [escape(token) for token in tokens]
    for number, column in enumerate(columns):
        figure.add_trace(_bars(names, column, number, look))
    axes = dict[str, Any]()
    for number, column in enumerate(columns):
        begin = number * (width + GAP)
        axis = "xaxis" if number == 0 else f"xaxis{number + 1}"
        axes[axis] = {
            "domain": [begin, begin + width],
            "range": _range(column.values),
            "fixedrange": True,
            "showgrid": False,
            "showline": False,
            "ticks": "",
            "showticklabels": False,
            "zeroline": True,
            "zerolinecolor": look.palette.hair,
            "title": {"text": column.title, "font": {"size": look.letters, "color": look.palette.ink}},
            "side": "top",
            "anchor": "y",
        }
    axes["yaxis"] = {
        "range": [len(tokens) - 0.5, -0.5],
        "showgrid": False,
        "tickvals": list(range(len(tokens))),
        "ticktext": [f"<b>{name}</b>" if place == marked else name for place, name in enumerate(names)],
        "tickfont": {"color": look.palette.ink, "size": look.letters - 1},
        "ticksuffix": " ",
    }
    if marked is not None:
        place = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": marked - 0.5, "y1": marked + 0.5}
        ink = {"fillcolor": look.palette.hair, "opacity": 0.45, "line": {"width": 0}, "layer": "below"}
        axes["shapes"] = [place | ink]
    height = round(48 + 1.55 * look.letters * len(tokens))
    return on_paper(figure, look=look, height=height, bargap=0.3, showlegend=False, **axes)


def _bars(names: Sequence[str], column: Column, number: int, look: Look) -> go.Bar:
    values = np.asarray(column.values, dtype=float)
    colour = column.colour or look.palette.map
    return go.Bar(
        x=[None if np.isnan(value) else value for value in values],
        y=list(range(len(names))),
        xaxis="x" if number == 0 else f"x{number + 1}",
        orientation="h",
        marker={"color": [look.palette.negative if value < 0 else colour for value in values], "line": {"width": 0}},
        text=["" if np.isnan(value) else _formatted(value, column.percent) for value in values],
        textposition="outside",
        textfont={"size": look.letters - 2, "color": look.palette.ink},
        cliponaxis=False,
        customdata=list(names),
        hovertemplate=f"{column.tell}<extra></extra>",
        name=column.title,
    )


def _formatted(value: float, percent: bool) -> str:
    return f"{round(value, 3) + 0.0:.1%}".replace("-", "−") if percent else signed(value)


def _range(values: np.ndarray) -> list[float]:
    """The range of values and 0, with room for the numbers at the ends of the bars."""
    finite = np.asarray(values, dtype=float)[np.isfinite(values)]
    low, high = min(0.0, *finite, 0.0), max(0.0, *finite, 0.0)
    room = ROOM * (high - low) or 1.0
    return [low - (room if low < 0 else 0.02 * room), high + (room if high > 0 else 0.02 * room)]
