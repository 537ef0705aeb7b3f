"""Several quantities along one axis, as lines with one hue each."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look


def curves(
    positions: Sequence[float] | np.ndarray,
    lines: Mapping[str, np.ndarray],
    *,
    look: Look,
    x: str,
    y: str,
    tell: str = "%{fullData.name}<br>%{x}: %{y:.3g}",
    hues: Mapping[str, str] | None = None,
    marks: bool = False,
    x_log: bool = False,
    y_log: bool = False,
    y_range: tuple[float, float] | None = None,
    labels: Sequence[str] | None = None,
    height: int = 380,
) -> go.Figure:
    """One line for each name in `lines`, all at the same `positions` on the x axis; NaN leaves a gap.

    `hues` gives lines a colour by name (else HUES in order); `marks` draws a point at each place; `labels` replaces
    the numbers of the x axis by words; `tell` is Plotly's template for the sentence below the pointer.
    """
    figure = go.Figure()
    for number, (name, values) in enumerate(lines.items()):
        figure.add_trace(
            go.Scatter(
                x=np.asarray(positions),
                y=np.asarray(values),
                name=escape(name),
                mode="lines+markers" if marks else "lines",
                line={"color": (hues or {}).get(name, HUES[number % len(HUES)]), "width": 2.2},
                marker={"size": 6},
                hovertemplate=f"{tell}<extra></extra>",
            )
        )
    xaxis: dict[str, Any] = {"type": "log" if x_log else "linear", "showgrid": False}
    yaxis: dict[str, Any] = {"type": "linear", "exponentformat": "none"}
    if labels is not None:
        xaxis |= {"tickvals": list(positions), "ticktext": [escape(label) for label in labels]}
    if y_log:
        yaxis = {"type": "log", "exponentformat": "power", "dtick": 1}
    if y_range is not None:
        yaxis["range"] = np.log10(y_range).tolist() if y_log else list(y_range)
    return on_paper(figure, look=look, height=height, x=x, y=y, showlegend=len(lines) > 1, xaxis=xaxis, yaxis=yaxis)
