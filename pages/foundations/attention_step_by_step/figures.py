"""Vectors as arrows from zero, with the circle of unit length or a shadow where they help."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

FAINTEST = 0.25  # opacity of an arrow without weight
APART = (0.3, 0.1)  # names are at least so far apart, across or up, as shares of the axes' reach
SHORTEST = 0.02  # of the axes' reach: a shorter arrow is a dot, and has no name
_STEPS = 72  # of a drawn circle


@dataclass(frozen=True)
class Arrow:
    """A vector in the plane; `strength`, from 0 to 1, is how dark it is drawn, `tell` the sentence at its point."""

    name: str
    x: float
    y: float
    strength: float = 1.0
    tell: str = ""
    is_query: bool = False

    @property
    def length(self) -> float:
        """The length in the plane."""
        return math.hypot(self.x, self.y)


def arrows(
    vectors: Sequence[Arrow],
    *,
    look: Look,
    x: str,
    y: str,
    shadow_of: int | None = None,
    circle: float | None = None,
) -> go.Figure:
    """Arrows from zero on axes of one scale.

    `shadow_of` is the place of the vector whose shadow on the query is drawn, `circle` the radius of a faint circle. Of
    names that would lie on one another, the stronger one's is written; an arrow without length has none.
    """
    figure = go.Figure()
    lengths = [vector.length for vector in vectors] + [circle or 0.0]
    reach = 1.35 * (max(lengths) or 1.0)
    if circle:
        angles = np.linspace(0, 2 * math.pi, _STEPS + 1)
        _line(figure, circle * np.cos(angles), circle * np.sin(angles), {"color": look.palette.hair, "width": 1.5})
    query = next((vector for vector in vectors if vector.is_query), None)
    if shadow_of is not None and query is not None and query.length:
        _shadow(figure, vectors[shadow_of], query, look)
    figure.add_scatter(
        x=[vector.x for vector in vectors],
        y=[vector.y for vector in vectors],
        mode="markers",
        marker={"size": 14, "color": look.palette.map, "opacity": 0},
        hovertext=[escape(vector.tell or vector.name) for vector in vectors],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    named = list[tuple[float, float]]()
    notes = list[dict]()
    for vector in sorted(vectors, key=lambda vector: (vector.is_query, vector.strength), reverse=True):
        colour = look.palette.accent if vector.is_query else look.palette.map
        notes.append(_head(vector, colour))
        side = _free_side(vector, named, reach) if vector.length > SHORTEST * reach else 0
        if side:
            named.append((vector.x, vector.y + side * APART[1] * reach))
            notes.append(_name(vector, side, colour, look.letters))
    axis = {"range": [-reach, reach], "zeroline": True, "zerolinecolor": look.palette.hair, "showgrid": False}
    notes.reverse()  # the query last, on top
    return on_paper(
        figure,
        look=look,
        height=look.high(380),
        x=x,
        y=y,
        showlegend=False,
        annotations=notes,
        xaxis=axis,
        yaxis={**axis, "scaleanchor": "x"},
    )


def _line(figure: go.Figure, x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray, line: dict) -> None:
    figure.add_scatter(x=list(x), y=list(y), mode="lines", line=line, hoverinfo="skip")


def _shadow(figure: go.Figure, key: Arrow, query: Arrow, look: Look) -> None:
    """The perpendicular from a key to the line of the query, and the part of the line up to there."""
    share = (key.x * query.x + key.y * query.y) / query.length**2
    foot = (share * query.x, share * query.y)
    _line(figure, [key.x, foot[0]], [key.y, foot[1]], {"color": look.palette.soft, "width": 1.5, "dash": "dash"})
    _line(figure, [0, foot[0]], [0, foot[1]], {"color": look.palette.soft, "width": 6})


def _head(vector: Arrow, colour: str) -> dict:
    axes = {"xref": "x", "yref": "y", "axref": "x", "ayref": "y", "ax": 0, "ay": 0}
    look = {"arrowhead": 2, "arrowwidth": 3 if vector.is_query else 2, "arrowcolor": colour}
    opacity = FAINTEST + (1 - FAINTEST) * vector.strength
    return {"x": vector.x, "y": vector.y, **axes, "text": "", "showarrow": True, **look, "opacity": opacity}


def _free_side(vector: Arrow, named: Sequence[tuple[float, float]], reach: float) -> int:
    """Where an arrow's name stands: 1 above its point, -1 below, 0 nowhere, as other names would lie on it."""
    across, up = APART
    for side in (1, -1) if vector.y >= 0 else (-1, 1):
        y = vector.y + side * up * reach
        if all(abs(vector.x - other[0]) > across * reach or abs(y - other[1]) > up * reach for other in named):
            return side
    return 0


def _name(vector: Arrow, side: int, colour: str, size: int) -> dict:
    letters = {"color": colour, "size": size}
    place = {"x": vector.x, "y": vector.y, "yshift": side * size}
    return {**place, "text": escape(vector.name), "showarrow": False, "font": letters}
