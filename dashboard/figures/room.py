"""Room for what stands around a plot, made before the browser draws it.

Plotly draws a figure, measures its labels and, where they lack room, draws all of it again. Room that was guessed
well saves the second drawing; where the guess is too small, Plotly still mends it.
"""

import math

import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

LETTER = 0.5  # of the size of the letters: how wide one of them is in the page's font, on average
NUMBER, POWER = 3.5, 4.5  # letters: as long as the numbers of most axes get, such as 0.5 or 24.1; and powers of ten
SIDE = 18  # pixels on the right, where half of the last number below the plot stands out


def with_room(figure: go.Figure) -> go.Figure:
    """The same figure, its margins wide enough for the labels of both axes and for a legend of one line."""
    layout = figure.layout
    size, margin = layout.font.size, layout.margin
    needed = {"l": margin.l, "r": margin.r, "t": margin.t, "b": margin.b}
    marks = 6 if any("z" in trace for trace in figure.data) else 0  # from a map to its labels
    if _is_labelled(layout.yaxis) and layout.yaxis.side != "right":
        needed["l"] = 43 + size + marks + LETTER * size * _longest(figure)
    if _is_labelled(layout.xaxis) and layout.xaxis.side != "top":
        raised = 0.4 * size if layout.xaxis.exponentformat == "power" else 0
        needed |= {"b": 37 + 2.4 * size + marks + raised, "r": SIDE}
    if _has_legend(figure) and layout.legend.orientation == "h":
        needed["t"] = 27 + 1.2 * size + 0.02 * (layout.height or 0)
    layout.margin.update({side: max(margin[side], math.ceil(pixels)) for side, pixels in needed.items()})
    return figure


def _is_labelled(axis: go.layout.XAxis | go.layout.YAxis) -> bool:
    return bool(axis.automargin) and axis.visible is not False and axis.showticklabels is not False


def _longest(figure: go.Figure) -> float:
    """How many letters the longest label of the vertical axis has."""
    axis = figure.layout.yaxis
    named = [axis.ticktext] if axis.ticktext is not None else [trace.y for trace in figure.data if _has_names(trace)]
    numbers = POWER if axis.exponentformat == "power" else NUMBER
    return max((len(name) for names in named for name in names), default=numbers)


def _has_names(trace: BaseTraceType) -> bool:
    """Whether names stand along the vertical axis, not numbers."""
    return "y" in trace and trace.y is not None and len(trace.y) > 0 and isinstance(trace.y[0], str)


def _has_legend(figure: go.Figure) -> bool:
    if figure.layout.showlegend is not None:
        return figure.layout.showlegend
    return sum(trace.type in LISTED and trace.showlegend is not False for trace in figure.data) > 1


LISTED = ("scatter", "bar")  # kinds of traces that a legend lists
