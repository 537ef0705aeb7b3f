"""Figures that only this page draws."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import HUES, Look


def verdict_bars(rows: Sequence[str], classes: Sequence[str], values: np.ndarray, *, look: Look) -> go.Figure:
    """One bar of length 1 for each row (a model, or a way to ask it), cut into the probabilities of the classes.

    `values` (row, class). The first class is the worst, the last the best; what lies between has the colour of neither.
    """
    hues = [HUES[1], *[look.palette.soft] * (len(classes) - 2), HUES[0]]
    figure = go.Figure()
    for number, name in enumerate(classes):
        share = values[:, number]
        figure.add_trace(
            go.Bar(
                x=share,
                y=list(range(len(rows))),
                name=escape(name),
                orientation="h",
                marker={"color": hues[number], "line": {"width": 1, "color": look.palette.paper}},
                text=[f"{probability:.1%}" if probability >= 0.08 else "" for probability in share],
                textposition="inside",
                insidetextanchor="middle",
                textfont={"color": "#ffffff"},
                customdata=[f"{escape(row)}: {escape(name)}" for row in rows],
                hovertemplate="%{customdata} %{x:.2%}<extra></extra>",
            )
        )
    return on_paper(
        figure,
        look=look,
        height=80 + round(2.3 * look.letters) * len(rows),
        margin={"t": 34},
        barmode="stack",
        bargap=0.3,
        legend={"y": 1, "traceorder": "normal"},
        xaxis={"range": [0, 1], "visible": False},
        yaxis=names_axis(rows),
    )


def measured_dots(
    columns: Sequence[str], values: Mapping[str, Sequence[float]], *, x: str, y: str, look: Look
) -> go.Figure:
    """A dot for each column (a group of texts) and each name in `values` (shares), joined by lines."""
    figure = go.Figure()
    for (name, heights), hue in zip(values.items(), HUES, strict=False):
        figure.add_trace(
            go.Scatter(
                x=list(columns),
                y=list(heights),
                name=escape(name),
                mode="lines+markers",
                line={"color": hue, "width": 2},
                marker={"size": 9},
                hovertemplate=f"{escape(name)}, %{{x}}: %{{y:.2%}}<extra></extra>",
            )
        )
    return on_paper(
        figure,
        look=look,
        height=look.high(300),
        legend={"y": 1.12},
        xaxis={"title": {"text": x}, "type": "category"},
        yaxis={"title": {"text": y}, "tickformat": ".1%", "rangemode": "tozero"},
    )
