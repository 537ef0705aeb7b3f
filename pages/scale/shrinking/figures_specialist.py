"""Figures of A small specialist: the prediction of each network, and accuracy against size."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from dashboard.figures.label_positions import name_positions, shares
from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import HUES, Look

FAMILY_HUES = (HUES[1], HUES[0])  # of networks trained for one task alone, and of fine-tuned ones
SYMBOLS = ("diamond", "circle")
HEIGHT = 320  # pixels
# Pixels of the drawing for which labels are placed: its width on a desk and on a projector, and above and below it.
WIDTH, PRESENTED_WIDTH, MARGINS = 350.0, 620.0, 110.0
ROOM = 0.32  # for labels at the sides, as a share of the range
AXIS_END = 1.78  # beyond 1 is room for the predictions


def sentiment_bars(
    names: Sequence[str], positive: Sequence[float], is_small: Sequence[bool], *, look: Look
) -> go.Figure:
    """A bar for each network from 0.5 to the probability of "positive": to the left it predicts "negative".

    Beside it the predicted class and its probability.
    """
    figure = go.Figure(
        go.Bar(
            x=[value - 0.5 for value in positive],
            base=0.5,
            y=list(range(len(names))),
            orientation="h",
            marker={"color": [look.themed(FAMILY_HUES[not small]) for small in is_small]},
            customdata=[[escape(name), f"{value:.1%}"] for name, value in zip(names, positive, strict=True)],
            hovertemplate="%{customdata[0]}: positive %{customdata[1]}<extra></extra>",
        )
    )
    for place, value in enumerate(positive):  # beside the axis of names, where each is seen whatever its bar
        figure.add_annotation(
            x=1.04,
            y=place,
            xanchor="left",
            showarrow=False,
            text=f"positive {value:.1%}" if value > 0.5 else f"negative {1 - value:.1%}",
            font={"size": look.letters - 1, "color": look.palette.ink},
        )
    return on_paper(
        figure,
        look=look,
        height=look.high(HEIGHT),
        bargap=0.35,
        shapes=[
            {
                "type": "line",
                "x0": 0.5,
                "x1": 0.5,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": look.palette.soft, "width": 1},
            }
        ],
        xaxis={
            "range": [0, AXIS_END],
            "tickvals": [0, 0.5, 1],
            "ticktext": ["negative", "50%", "positive"],
        },
        yaxis=names_axis(names, tickfont={"color": look.palette.ink, "size": look.letters - 1}),
    )


def accuracy_by_size(
    labels: Sequence[str],
    parameters: Sequence[int],
    accuracies: Sequence[float],
    errors: Sequence[float],
    is_small: Sequence[bool],
    families: tuple[str, str],
    *,
    look: Look,
) -> go.Figure:
    """Accuracy with two standard errors against parameters on a logarithmic axis; `labels` stand beside the marks."""
    sizes, heights = np.log10(np.array(parameters, dtype=float)), np.array(accuracies, dtype=float)
    bars = 2 * np.array(errors, dtype=float)
    x_range = _range(sizes, sizes, ROOM)
    y_range = _range(heights - bars, heights + bars, 0.12)
    sides = name_positions(
        shares(sizes, x_range),
        shares(heights, y_range),
        labels,
        width=PRESENTED_WIDTH if look.presented else WIDTH,
        height=look.high(HEIGHT) - MARGINS,
        size=look.letters - 3,
    )
    figure = go.Figure()
    for family, (name, hue, symbol) in enumerate(zip(families, FAMILY_HUES, SYMBOLS, strict=True)):
        members = [place for place, small in enumerate(is_small) if small == (family == 0)]
        if members:
            figure.add_trace(
                go.Scatter(
                    x=[parameters[place] for place in members],
                    y=[accuracies[place] for place in members],
                    error_y={
                        "array": [float(bars[place]) for place in members],
                        "color": hue,
                        "thickness": 1.2,
                        "width": 4,
                    },
                    name=name,
                    mode="markers",
                    marker={"size": 10, "color": hue, "symbol": symbol},
                    customdata=[
                        [
                            escape(labels[place]),
                            f"{accuracies[place]:.1%} ± {bars[place]:.1%} right",
                            f"{parameters[place]:,} parameters",
                        ]
                        for place in members
                    ],
                    hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>%{customdata[2]}<extra></extra>",
                    cliponaxis=False,
                )
            )
    ends = {"top center": 1, "bottom center": -1}  # of the error bars, beyond which labels stand
    figure.add_trace(
        go.Scatter(
            x=list(parameters),
            y=[float(heights[place] + ends.get(side, 0) * bars[place]) for place, side in enumerate(sides)],
            mode="text",
            text=[escape(label) if side else "" for label, side in zip(labels, sides, strict=True)],
            textposition=[side or "middle right" for side in sides],
            textfont={"size": look.letters - 3, "color": look.palette.ink},
            hoverinfo="skip",
            showlegend=False,
            cliponaxis=False,
        )
    )
    return on_paper(
        figure,
        look=look,
        height=look.high(HEIGHT),
        x="parameters",
        y="right, held out",
        margin={"t": 34},
        xaxis={"type": "log", "range": list(x_range), "dtick": "D2", "exponentformat": "SI"},
        yaxis={"range": list(y_range), "tickformat": ".0%"},
    )


def _range(low: Float[np.ndarray, " point"], high: Float[np.ndarray, " point"], room: float) -> tuple[float, float]:
    """The range of an axis from the lowest to the highest value, with `room` at both ends as a share of it."""
    extent = float(high.max() - low.min()) or 1.0
    return float(low.min()) - room * extent, float(high.max()) + room * extent
