"""Curves of deletion and insertion beside those of random orders, and the formula of an area with its numbers."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from core.attribution.deletion_curves import Faithfulness
from dashboard.figures.curves import curves
from dashboard.theme import Look

RANDOM = "at random"


def faithfulness_curves(
    shares: np.ndarray,
    lines: Mapping[str, np.ndarray],
    areas: Mapping[str, float],
    band: tuple[np.ndarray, np.ndarray],
    *,
    hues: Mapping[str, str],
    look: Look,
    x: str,
    y: str,
    height: int = 380,
) -> go.Figure:
    """A line for each explanation and one for RANDOM, with the areas below them in the legend.

    `band`: the lowest and the highest of the random draws at each share.
    """
    titles = {name: f"{name}: {areas[name]:.3f}" for name in lines}
    figure = curves(
        shares,
        {titles[name]: values for name, values in lines.items()},
        look=look,
        x=x,
        y=y,
        tell="%{fullData.name}<br>%{x:.0%}: %{y:.1%}",
        hues={title: hues.get(name, look.palette.soft) for name, title in titles.items()},
        height=height,
    )
    for trace, name in zip(figure.data, lines, strict=True):
        if name == RANDOM:
            trace.update(line={"dash": "dot", "width": 2})
    low, high = band
    figure.add_trace(
        go.Scatter(
            x=np.concatenate([shares, shares[::-1]]),
            y=np.concatenate([high, low[::-1]]),
            fill="toself",
            fillcolor=look.palette.soft,
            opacity=0.22,
            mode="none",
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.data = (figure.data[-1], *figure.data[:-1])
    figure.update_layout(showlegend=True, legend={"orientation": "v", "x": 0, "y": 1.02, "yanchor": "bottom"})
    figure.update_xaxes(tickformat=".0%", range=[0, 1])
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    return figure


def area_in_latex(curve: Faithfulness) -> str:
    """The trapezoid rule for a deletion curve as LaTeX, with the first and the last term in numbers."""
    heights, shares = curve.deletion.tolist(), curve.shares.tolist()
    terms = [
        rf"\tfrac{{{heights[place]:.3f} + {heights[place + 1]:.3f}}}{{2}} \cdot {shares[place + 1] - shares[place]:.3f}"
        for place in range(len(heights) - 1)
    ]
    ends = terms if len(terms) < 3 else [terms[0], r"\dots", terms[-1]]
    sum_of_terms = r" \\ {}+ ".join(ends)
    return rf"\begin{{gathered}} \vphantom{{\Big|}} {sum_of_terms} \\ = {curve.deletion_area:.3f} \end{{gathered}}"
