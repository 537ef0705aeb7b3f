"""Quality against cost: each model a point with its name, costs on a logarithmic scale."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.label_positions import name_positions, shares, span
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")
ROOM_X, ROOM_Y = 0.3, 0.12  # for names at the edges, as shares of the range


@dataclass(frozen=True)
class Point:
    """A model: the cost of its training in floating point operations, and its quality."""

    name: str
    group: str
    cost: float
    quality: float


def costs(
    points: Sequence[Point],
    *,
    hues: Mapping[str, str],
    look: Look,
    x: str,
    y: str,
    y_range: tuple[float, float] | None = None,
    width: int = 420,
    height: int = 420,
) -> go.Figure:
    """One mark for each point; `hues` are those of the groups, which have a legend if one holds several models.

    Names are placed for a drawing of `width` pixels; names that would cover others appear only under the pointer.
    """
    figure = go.Figure()
    work, quality = np.log10([point.cost for point in points]), np.array([point.quality for point in points])
    wide, high = span(work, ROOM_X), y_range or span(quality, ROOM_Y)
    names = [point.name for point in points]
    places = name_positions(
        shares(work, wide), shares(quality, high), names, width=width, height=height - 100, size=look.letters - 3
    )
    sides = dict(zip(points, places, strict=True))
    groups = list(dict.fromkeys(point.group for point in points))
    for number, group in enumerate(groups):
        members = [point for point in points if point.group == group]
        figure.add_trace(
            go.Scatter(
                x=[point.cost for point in members],
                y=[point.quality for point in members],
                name=escape(group),
                mode="markers+text",
                text=[escape(point.name) if sides[point] else "" for point in members],
                textposition=[sides[point] or "top center" for point in members],
                textfont={"size": look.letters - 3},
                marker={"size": 11, "color": hues[group], "symbol": _SYMBOLS[number % len(_SYMBOLS)]},
                cliponaxis=False,
                customdata=[escape(point.name) for point in members],
                hovertemplate=f"%{{customdata}}: {y} %{{y:.4g}}, training %{{x:.2g}} FLOPs<extra></extra>",
            )
        )
    xaxis = {"type": "log", "exponentformat": "power", "dtick": 1, "range": wide}
    if wide[1] - wide[0] <= 2:
        xaxis |= _ticks(*wide)
    legend = len(groups) < len(points)
    settings = {"showlegend": legend, "margin": {"t": 34}, "xaxis": xaxis, "yaxis": {"range": high}}
    return on_paper(figure, look=look, height=height, x=x, y=y, **settings)


def _ticks(low: float, high: float) -> dict[str, list]:
    """Ticks at 1, 2 and 5 of each power of ten, written out: Plotly would write a 5 without its power."""
    powers = range(math.floor(low), math.ceil(high))
    labels = {
        first * 10.0**power: f"{first}×10<sup>{power}</sup>" if first > 1 else f"10<sup>{power}</sup>"
        for power in powers
        for first in (1, 2, 5)
    }
    within = {value: name for value, name in labels.items() if low <= math.log10(value) <= high}
    return {"tickvals": list(within), "ticktext": list(within.values())}
