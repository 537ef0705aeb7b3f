"""Quality against cost: each model a point with its name, costs on a logarithmic scale."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Palette

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")
_CLOSE = 0.4, 0.2  # decades of cost, share of the range of quality: nearer points have their names at the sides
_ABOVE = 0.35  # share of the range: a point so little above another would stand in the name between them


@dataclass(frozen=True)
class Point:
    """A model: what its training cost in floating point operations, and its quality."""

    name: str
    group: str
    cost: float
    quality: float


def costs(
    points: Sequence[Point],
    *,
    hues: Mapping[str, str],
    palette: Palette,
    x: str,
    y: str,
    y_range: tuple[float, float] | None = None,
    size: int = 14,
    height: int = 420,
) -> go.Figure:
    """One mark for each point; `hues` are those of the groups, which have a legend where they hold several models."""
    figure = go.Figure()
    sides = name_places(points)
    groups = list(dict.fromkeys(point.group for point in points))
    for number, group in enumerate(groups):
        members = [point for point in points if point.group == group]
        figure.add_trace(
            go.Scatter(
                x=[point.cost for point in members],
                y=[point.quality for point in members],
                name=escape(group),
                mode="markers+text",
                text=[escape(point.name) for point in members],
                textposition=[sides[point] for point in members],
                textfont={"size": size - 3},
                marker={"size": 11, "color": hues[group], "symbol": _SYMBOLS[number % len(_SYMBOLS)]},
                cliponaxis=False,
                hovertemplate=f"%{{text}}: {y} %{{y:.4g}}, training %{{x:.2g}} FLOPs<extra></extra>",
            )
        )
    on_paper(figure, palette=palette, height=height, size=size, x=x, y=y)
    figure.update_layout(showlegend=len(groups) < len(points), margin={"t": 34})
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, range=_around([p.cost for p in points]))
    if y_range is not None:
        figure.update_yaxes(range=list(y_range))
    return figure


def name_places(points: Sequence[Point]) -> dict[Point, str]:
    """Where each name stands: above its mark, below if one stands there, or at the outer side of two that are close."""
    spread = max(p.quality for p in points) - min(p.quality for p in points) or 1.0
    places = {}
    for point in points:
        around = [
            (math.log10(other.cost / point.cost), (other.quality - point.quality) / spread)
            for other in points
            if other != point and abs(math.log10(other.cost / point.cost)) < _CLOSE[0]
        ]
        near = [aside for aside, higher in around if abs(higher) < _CLOSE[1]]
        if not near:
            places[point] = "bottom center" if any(0 < higher < _ABOVE for _, higher in around) else "top center"
        else:
            places[point] = "middle left" if max(near, key=abs) > 0 else "middle right"
    return places


def _around(values: Sequence[float]) -> list[float]:
    """A logarithmic range with room for names on both sides."""
    low, high = math.log10(min(values)), math.log10(max(values))
    room = 0.3 + 0.12 * (high - low)
    return [low - room, high + 1.3 * room]
