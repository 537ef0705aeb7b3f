"""How a probability changes as an explanation's patches are taken away, beside what chance does."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.curves import curves
from dashboard.theme import Look

RANDOM = "at random"


def faithfulness_curves(
    shares: np.ndarray,
    lines: Mapping[str, np.ndarray],
    areas: Mapping[str, float],
    band: tuple[np.ndarray, np.ndarray] | None,
    *,
    hues: Mapping[str, str],
    look: Look,
    x: str,
    y: str,
    marked: float | None = None,
    height: int = 380,
) -> go.Figure:
    """A line for each explanation and one for RANDOM, with the areas below them in the legend.

    `band`: the lowest and the highest of the random draws at each share. `marked`: a share with a line of its own.
    """
    named = {f"{name}: {areas[name]:.3f}": values for name, values in lines.items()}
    colours = {f"{name}: {areas[name]:.3f}": hues.get(name, look.palette.soft) for name in lines}
    figure = curves(
        shares,
        named,
        look=look,
        x=x,
        y=y,
        tell="%{fullData.name}<br>%{x:.0%}: %{y:.1%}",
        hues=colours,
        height=height,
    )
    for trace, name in zip(figure.data, lines, strict=True):
        if name == RANDOM:
            trace.update(line={"dash": "dot", "width": 2})
    if band is not None:
        figure.add_trace(_band(shares, band, look))
        figure.data = (figure.data[-1], *figure.data[:-1])
    if marked is not None:
        figure.add_vline(x=marked, line={"color": look.palette.accent, "width": 1.5})
    figure.update_layout(showlegend=True, legend={"orientation": "v", "x": 0, "y": 1.02, "yanchor": "bottom"})
    figure.update_xaxes(tickformat=".0%", range=[0, 1])
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    return figure


def _band(shares: np.ndarray, band: tuple[np.ndarray, np.ndarray], look: Look) -> go.Scatter:
    low, high = band
    return go.Scatter(
        x=np.concatenate([shares, shares[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=look.palette.soft,
        opacity=0.22,
        mode="none",
        hoverinfo="skip",
        showlegend=False,
    )
