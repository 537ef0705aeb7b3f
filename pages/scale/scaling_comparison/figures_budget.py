"""What a training needs: its memory as one bar, and the loss of all sizes that cost the same."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from numpy import ndarray

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look


def memory_bar(parts: Mapping[str, float], limit: float, *, device: str, look: Look) -> go.Figure:
    """Gigabytes of each part, stacked along one bar, and a rule where the device is full."""
    figure = go.Figure()
    for number, (name, gigabytes) in enumerate(parts.items()):
        figure.add_trace(
            go.Bar(
                x=[gigabytes],
                y=[""],
                orientation="h",
                name=escape(name),
                marker={"color": HUES[number]},
                hovertemplate=f"{escape(name)}: %{{x:,.3g}} GB<extra></extra>",
            )
        )
    on_paper(figure, look=look, height=210, x="gigabytes")
    figure.add_vline(x=limit, line={"color": look.palette.accent, "width": 2})
    most = 1.15 * max(limit, sum(parts.values()))
    figure.add_annotation(
        x=limit,
        # Towards the side where there is room for it.
        xanchor="left" if limit < most / 2 else "right",
        y=1,
        yref="paper",
        yanchor="bottom",
        text=escape(device),
        showarrow=False,
        font={"color": look.palette.accent},
    )
    figure.update_layout(barmode="stack", legend={"y": 1.3, "traceorder": "normal"}, margin={"t": 30})
    figure.update_xaxes(range=[0, most])
    return figure


@dataclass(frozen=True)
class Split:
    """Sizes that cost the same compute, the loss that a law expects of each, and two of them."""

    parameters: Float[ndarray, " place"]
    loss: Float[ndarray, " place"]
    chosen: tuple[float, float]  # parameters and loss
    best: tuple[float, float]


def split_curve(split: Split, *, look: Look, height: int = 380) -> go.Figure:
    """The loss along all splits of one compute; the chosen one and the best one as marks."""
    figure = go.Figure(
        go.Scatter(
            x=split.parameters,
            y=split.loss,
            line={"color": HUES[0], "width": 2.4},
            showlegend=False,
            hovertemplate="%{x:.3s} parameters: loss %{y:.3f}<extra></extra>",
        )
    )
    for name, (parameters, loss), colour, symbol in (
        ("your model", split.chosen, HUES[1], "diamond"),
        ("lowest loss for this compute", split.best, HUES[2], "circle"),
    ):
        figure.add_trace(
            go.Scatter(
                x=[parameters],
                y=[loss],
                name=name,
                mode="markers",
                marker={"size": 12, "color": colour, "symbol": symbol},
                hovertemplate=f"{name}: %{{x:.3s}} parameters, loss %{{y:.3f}}<extra></extra>",
            )
        )
    on_paper(figure, look=look, height=height, x="parameters", y="loss, nats a token")
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, showgrid=False)
    top = max(split.chosen[1], float(np.quantile(split.loss, 0.8)))
    margin = 0.08 * (top - split.best[1])
    figure.update_yaxes(range=[split.best[1] - margin, top + margin])
    return figure
