"""Figures of the masked autoencoder: what hidden patches look at, layer by layer; errors against the share hidden."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look


def shares_by_layer(shares: Mapping[str, Sequence[float]], *, look: Look, height: int) -> go.Figure:
    """For each layer a column cut into shares that sum to 1, one hue for each name."""
    figure = go.Figure()
    for number, (name, values) in enumerate(shares.items()):
        figure.add_trace(
            go.Bar(
                x=[f"layer {layer}" for layer in range(len(values))],
                y=list(values),
                name=escape(name),
                marker={"color": HUES[number]},
                hovertemplate="%{x}: %{y:.1%} to %{fullData.name}<extra></extra>",
            )
        )
    yaxis = {"range": [0, 1], "tickformat": ".0%"}
    return on_paper(figure, look=look, height=height, y="share of attention", yaxis=yaxis, barmode="stack", bargap=0.35)


def errors_by_share(
    shares: Sequence[float],
    lines: Mapping[str, tuple[Sequence[float], ...]],
    *,
    look: Look,
    height: int,
    hues: Mapping[str, str],
) -> go.Figure:
    """Mean squared errors (values, standard errors) against the share hidden: bars reach two standard errors."""
    figure = go.Figure()
    for name, (values, errors) in lines.items():
        figure.add_trace(
            go.Scatter(
                x=list(shares),
                y=list(values),
                error_y={"type": "data", "array": 2 * np.asarray(errors), "thickness": 1.2, "width": 0},
                mode="lines+markers",
                name=escape(name),
                line={"color": hues[name], "width": 2.2},
                marker={"size": 6},
                hovertemplate="%{fullData.name}, %{x:.0%} hidden: %{y:.4f}<extra></extra>",
            )
        )
    return on_paper(
        figure,
        look=look,
        height=height,
        x="share of the patches that is hidden",
        y="mean squared error",
        xaxis={"tickformat": ".0%"},
        yaxis={"rangemode": "tozero"},
    )
