"""Figures of Order: a pair of channels that turns as its position grows, and vectors before and after a shuffle."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard import theme
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look

Point = tuple[float, float]
_STEPS = 48  # of a drawn circle or arc
# Where the four parts of the strips stand, as shares of the width: before, words and lines, after, difference.
_PARTS = ((0.0, 0.26), (0.27, 0.59), (0.60, 0.86), (0.89, 1.0))
_ENDS = (0.34, 0.66)  # of the lines, as shares of the second part: the words stand outside


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
    figure = go.Figure([_arc(radius, 0, 2 * math.pi, look.palette.hair, 1.5) for radius in radii])
    if len(points):
        figure.add_scatter(
            x=points[:, 0],
            y=points[:, 1],
            mode="markers",
            marker={"size": 8, "color": look.palette.map, "opacity": 0.55},
            hovertext=[escape(label) for label in labels],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    largest = max([*radii, *(math.hypot(*point) for point in arrows.values())])
    for number, (name, point) in enumerate(arrows.items()):
        _arrow(figure, name, point, HUES[number % len(HUES)], 0.07 * largest, look.letters)
    if turn is not None and turn[0] != turn[1]:
        figure.add_trace(_arc(0.35 * largest, *turn, look.palette.accent, 3))
    on_paper(figure, look=look, height=height, x=x, y=y)
    reach = 1.25 * largest
    axis = {"range": [-reach, reach], "showgrid": False, "zeroline": True, "zerolinecolor": look.palette.hair}
    figure.update_layout(showlegend=False, xaxis=axis, yaxis={**axis, "scaleanchor": "x"})
    return figure


def strips(
    before: np.ndarray,
    after: np.ndarray,
    order: Sequence[int],
    *,
    labels: Sequence[str] | None,
    hues: Sequence[str],
    look: Look,
    titles: tuple[str, str, str],
    limit: float,
) -> go.Figure:
    """Vectors (token, channel) before a shuffle and after it, and how far the latter are from the shuffled former.

    `order[i]` is the token that stands at place i after the shuffle. `labels` and `hues` belong to the tokens before
    it; without labels the lines alone show who went where. All three maps share one signed scale up to `limit`.
    """
    order = list(order)
    names = [escape(label) for label in labels] if labels is not None else [str(place) for place in range(len(before))]
    moved = [names[token] for token in order]
    figure = go.Figure()
    for axis, values, rows, tell in (
        ("x", before, names, "%{customdata}: %{z:.3g}"),
        ("x3", after, moved, "%{customdata}, after the shuffle: %{z:.3g}"),
        ("x4", after - before[order], moved, "%{customdata}: the two differ by %{z:.3g}"),
    ):
        figure.add_trace(_strip(values, rows, axis, tell, limit, look))
    start, end = _ENDS if labels is not None else (0.02, 0.98)
    for place, token in enumerate(order):
        figure.add_scatter(
            x=[start, start + 0.08, end - 0.08, end],
            y=[token, token, place, place],
            xaxis="x2",
            mode="lines",
            line={"color": hues[token], "width": 2 if labels is not None else 1.2, "shape": "spline"},
            hoverinfo="skip",
        )
    if labels is not None:
        figure.add_trace(_words(names, 0.0, "middle right", hues, look.letters))
        figure.add_trace(_words(moved, 1.0, "middle left", [hues[token] for token in order], look.letters))
    row = 1.75 * look.letters if labels is not None else 8
    on_paper(figure, look=look, height=round(44 + row * len(before)))
    figure.update_layout(margin={"t": 34}, showlegend=False)
    figure.update_yaxes(visible=False, range=[len(before) - 0.5, -0.5])
    for axis, domain in zip(("xaxis", "xaxis2", "xaxis3", "xaxis4"), _PARTS, strict=True):
        figure.update_layout({axis: {"domain": domain, "visible": False, "fixedrange": True, "anchor": "y"}})
    figure.update_layout(xaxis2={"range": [0, 1]})
    for axis in ("x", "x3", "x4"):  # an outline, so that a difference of nothing is seen to be a map too
        hair = {"color": look.palette.hair, "width": 1}
        figure.add_shape(type="rect", xref=f"{axis} domain", yref="paper", x0=0, x1=1, y0=0, y1=1, line=hair)
    # The last title is wider than its map: it grows to the left.
    places = ((_PARTS[0][0], "left"), (_PARTS[2][0], "left"), (_PARTS[3][1], "right"))
    for title, (x, anchor) in zip(titles, places, strict=True):
        figure.add_annotation(
            text=title, x=x, xanchor=anchor, xref="paper", y=1, yref="paper", yanchor="bottom", showarrow=False
        )
    return figure


def _arc(radius: float, start: float, end: float, colour: str, width: float) -> go.Scatter:
    angles = np.linspace(start, end, _STEPS + 1)
    line = {"color": colour, "width": width}
    return go.Scatter(x=radius * np.cos(angles), y=radius * np.sin(angles), mode="lines", line=line, hoverinfo="skip")


def _arrow(figure: go.Figure, name: str, point: Point, colour: str, gap: float, size: int) -> None:
    axes = {"xref": "x", "yref": "y", "axref": "x", "ayref": "y"}
    figure.add_annotation(
        x=point[0], y=point[1], ax=0, ay=0, **axes, text="", showarrow=True,
        arrowhead=2, arrowwidth=2.5, arrowcolor=colour,
    )  # fmt: skip
    length = math.hypot(*point) or 1.0
    figure.add_annotation(
        x=point[0] * (1 + gap / length),
        y=point[1] * (1 + gap / length),
        text=escape(name),
        showarrow=False,
        font={"color": colour, "size": size},
        xanchor="left" if point[0] >= 0 else "right",
    )


def _strip(values: np.ndarray, rows: Sequence[str], axis: str, tell: str, limit: float, look: Look) -> go.Heatmap:
    return go.Heatmap(
        z=np.asarray(values, dtype=np.float32),
        customdata=np.repeat(np.array(rows, dtype=object)[:, None], values.shape[1], axis=1),
        xaxis=axis,
        zmin=-limit,
        zmax=limit,
        colorscale=theme.colorscale(theme.diverging(look.palette)),
        showscale=False,
        ygap=2 if len(values) <= 40 else 0,
        hovertemplate=f"{tell}<extra></extra>",
    )


def _words(names: Sequence[str], x: float, position: str, hues: Sequence[str], size: int) -> go.Scatter:
    return go.Scatter(
        x=[x] * len(names),
        y=list(range(len(names))),
        xaxis="x2",
        mode="text",
        text=list(names),
        textposition=position,
        textfont={"color": list(hues), "size": size},
        hoverinfo="skip",
    )
