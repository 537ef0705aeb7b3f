"""A pair of channels as a point in the plane, which turns as the position grows."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look

Point = tuple[float, float]
_STEPS = 48  # of a drawn circle or arc


def circle(
    points: np.ndarray,
    *,
    labels: Sequence[str],
    arrows: Mapping[str, Point],
    turn: tuple[float, float] | None = None,
    radii: Sequence[float] = (1.0,),
    look: Look,
    x: str,
    y: str,
    height: int = 400,
) -> go.Figure:
    """Points (token, 2) on circles around zero, arrows from zero with a name each, and an arc for a turn.

    `labels` are the sentences below the pointer, one a point. `turn` holds the angles in radians, against the clock
    from the x axis, between which the arc goes. `radii` are those of the circles drawn faintly.
    """
    figure = go.Figure()
    for radius in radii:
        figure.add_trace(_arc(radius, 0, 2 * math.pi, look.palette.hair, 1.5))
    if len(points):
        figure.add_trace(
            go.Scatter(
                x=points[:, 0],
                y=points[:, 1],
                mode="markers",
                marker={"size": 8, "color": look.palette.map, "opacity": 0.55},
                hovertext=[escape(label) for label in labels],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    largest = max([*radii, *(math.hypot(*point) for point in arrows.values())])
    for number, (name, point) in enumerate(arrows.items()):
        _arrow(figure, name, point, HUES[number % len(HUES)], 0.07 * largest, look.letters)
    if turn is not None and turn[0] != turn[1]:
        figure.add_trace(_arc(0.35 * largest, *turn, look.palette.accent, 3))
    on_paper(figure, look=look, height=height, x=x, y=y)
    reach = 1.25 * largest
    figure.update_layout(showlegend=False)
    figure.update_xaxes(range=[-reach, reach], showgrid=False, zeroline=True, zerolinecolor=look.palette.hair)
    figure.update_yaxes(
        range=[-reach, reach], showgrid=False, zeroline=True, zerolinecolor=look.palette.hair, scaleanchor="x"
    )
    return figure


def _arc(radius: float, start: float, end: float, colour: str, width: float) -> go.Scatter:
    angles = np.linspace(start, end, _STEPS + 1)
    return go.Scatter(
        x=radius * np.cos(angles),
        y=radius * np.sin(angles),
        mode="lines",
        line={"color": colour, "width": width},
        hoverinfo="skip",
    )


def _arrow(figure: go.Figure, name: str, point: Point, colour: str, gap: float, size: int) -> None:
    figure.add_annotation(
        x=point[0],
        y=point[1],
        ax=0,
        ay=0,
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        showarrow=True,
        arrowhead=2,
        arrowwidth=2.5,
        arrowcolor=colour,
        text="",
    )
    length = math.hypot(*point) or 1.0
    figure.add_annotation(
        x=point[0] * (1 + gap / length),
        y=point[1] * (1 + gap / length),
        text=escape(name),
        showarrow=False,
        font={"color": colour, "size": size},
        xanchor="left" if point[0] >= 0 else "right",
    )
