"""Figures of the page: quality as more and more is taken away, and a matrix above the levels that it is rounded to."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from core.results.shrinking import Variant
from dashboard.figures.curves import curves
from dashboard.figures.paper import on_paper
from dashboard.theme import Look


def bounds(baseline: Variant, losses: Sequence[float]) -> dict[str, float]:
    """At which quality so much of the whole network's is lost, by "1%" and the like."""
    sign = 1 if baseline.measure == "bits" else -1
    return {f"{loss:.0%}": baseline.quality * (1 + sign * loss) for loss in losses}


def quality_curves(
    along: Sequence[float],
    lines: Mapping[str, Sequence[float] | np.ndarray],
    bounds: Mapping[str, float],
    *,
    look: Look,
    x: str,
    y: str,
) -> go.Figure:
    """A line for each way to take something away, joined over places that were not measured, and `bounds` dashed."""
    named = {name: np.asarray(values) for name, values in lines.items()}
    figure = curves(along, named, look=look, x=x, y=y, marks=True)
    figure.update_traces(connectgaps=True)
    highest = max(bounds.values(), default=0.0)
    for name, value in bounds.items():
        figure.add_hline(
            value,
            line={"dash": "dot", "width": 1, "color": look.palette.soft},
            annotation={"text": name, "font": {"color": look.palette.soft}},
            annotation_position="top right" if value == highest else "bottom right",
        )
    return figure


def histogram(edges: np.ndarray, counts: np.ndarray, levels: np.ndarray, *, look: Look) -> go.Figure:
    """Bars for the weights, a tick below the axis for each level."""
    figure = go.Figure()
    figure.add_trace(
        go.Bar(
            x=(edges[1:] + edges[:-1]) / 2,
            y=counts,
            width=np.diff(edges),
            marker={"color": look.palette.map, "line": {"width": 0}},
            hovertemplate="%{y} weights near %{x:.3f}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=levels,
            y=np.full(len(levels), -0.05 * counts.max()),
            mode="markers",
            marker={"symbol": "line-ns", "size": 12, "line": {"width": 2, "color": look.palette.accent}},
            hovertemplate="level %{x:.4f}<extra></extra>",
        )
    )
    return on_paper(figure, look=look, height=look.high(320), x="weight", y="how many", showlegend=False, bargap=0)


def split_histogram(edges: np.ndarray, remaining: np.ndarray, gone: np.ndarray, *, look: Look) -> go.Figure:
    """Bars of the weights that stay, and on them those that become zero."""
    figure = go.Figure()
    for name, counts, colour in (("stay", remaining, look.palette.map), ("become zero", gone, look.palette.accent)):
        figure.add_trace(
            go.Bar(
                x=(edges[1:] + edges[:-1]) / 2,
                y=counts,
                width=np.diff(edges),
                name=name,
                marker={"color": colour, "line": {"width": 0}},
                hovertemplate="%{y} weights near %{x:.3f} " + name + "<extra></extra>",
            )
        )
    return on_paper(figure, look=look, height=look.high(320), x="weight", y="how many", barmode="stack", bargap=0)
