"""Figures of Bits: a matrix as a histogram above the levels that it is rounded to."""

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import on_paper
from dashboard.theme import Look


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
