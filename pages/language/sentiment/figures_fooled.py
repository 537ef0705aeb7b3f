"""How often each model is fooled, with intervals, and what a pair of sentences does to each of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import Look


@dataclass(frozen=True)
class Span:
    """A value on a row with the interval around it, from 0 to 1, and the sentence below the pointer."""

    name: str
    value: float
    low: float
    high: float
    tell: str


def rates(rows: Sequence[Span], *, look: Look, x: str) -> go.Figure:
    """A dot for each row, and a line from the low to the high end of its interval."""
    figure = go.Figure(
        go.Scatter(
            x=[row.value for row in rows],
            y=list(range(len(rows))),
            mode="markers+text",
            marker={"size": 10, "color": look.palette.map},
            text=[f"{row.value:.0%}" for row in rows],
            textposition="top center",
            textfont={"size": look.letters - 2, "color": look.palette.ink},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [row.high - row.value for row in rows],
                "arrayminus": [row.value - row.low for row in rows],
                "color": look.palette.map,
                "thickness": 1.6,
                "width": 5,
            },
            customdata=[escape(row.tell) for row in rows],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    return _rowed(figure, [row.name for row in rows], look, x)


@dataclass(frozen=True)
class Move:
    """A model's value before and after a change, from 0 to 1, and the sentence below the pointer."""

    name: str
    before: float
    after: float
    tell: str


def moves(rows: Sequence[Move], *, look: Look, x: str) -> go.Figure:
    """An arrow for each row, from an open dot (before) to a full one (after); the line in the middle is one half."""
    figure = go.Figure()
    places = list(range(len(rows)))
    lines = [part for place, row in enumerate(rows) for part in ((row.before, place), (row.after, place), (None, None))]
    figure.add_trace(
        go.Scatter(
            x=[across for across, _ in lines],
            y=[place for _, place in lines],
            mode="lines",
            line={"color": look.palette.soft, "width": 2},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    for name, symbol in (("before", "circle-open"), ("after", "circle")):
        figure.add_trace(
            go.Scatter(
                x=[getattr(row, name) for row in rows],
                y=places,
                name=name,
                mode="markers",
                marker={"size": 12, "symbol": symbol, "color": look.palette.map, "line": {"width": 2}},
                customdata=[escape(row.tell) for row in rows],
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
    half = {"type": "line", "x0": 0.5, "x1": 0.5, "y0": -0.6, "y1": len(rows) - 0.4}
    line = {"color": look.palette.soft, "width": 1, "dash": "dot"}
    return _rowed(figure, [row.name for row in rows], look, x, shapes=[half | {"line": line}], margin={"t": 34})


def _rowed(figure: go.Figure, names: Sequence[str], look: Look, x: str, **own) -> go.Figure:
    return on_paper(
        figure,
        look=look,
        height=90 + round(2.9 * look.letters) * len(names),
        x=x,
        xaxis={"range": [-0.03, 1.03], "tickformat": ".0%", "showgrid": True, "tickvals": [0, 0.25, 0.5, 0.75, 1]},
        yaxis=names_axis(names, range=[len(names) - 0.4, -0.75]),
        **own,
    )
