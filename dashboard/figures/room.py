"""Room for what stands around a plot, made before the browser draws it.

Plotly draws a figure, measures its labels and, where they lack room, draws all of it again. Room that was guessed
well saves the second drawing; where the guess is too small, Plotly still mends it.
"""

import math
import re

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

LETTER = 0.5  # of the size of the letters: how wide one of them is in the page's font, on average
LISTED_LETTER = 0.44  # the same in a legend, whose names are longer
NUMBER, POWER = 3.5, 4.5  # letters: of a number about which nothing is known, and of a power of ten
STEPS = 6  # an axis of numbers has at least so many
LINE, BESIDE = 64, 6  # sizes of a letter: the width of the page, and what of it no legend has
LARGE, PRESENTED = 20, 90  # pixels of a projector's letters, and the width for them
SPARE = 12  # pixels that Plotly leaves around labels, unless a margin is smaller


def with_room(figure: go.Figure, share: float = 1.0) -> go.Figure:
    """The same figure, its margins wide enough for the labels of both axes, and for a legend above it.

    `share` is how much of the page's width the figure has.
    """
    layout = figure.layout
    size, margin = layout.font.size, layout.margin
    needed = {"l": 0.0, "t": 0.0, "b": 0.0}
    marks = 6 if any("z" in trace for trace in figure.data) else 0  # from a map to its labels
    if _is_labelled(layout.yaxis) and layout.yaxis.side != "right":
        needed["l"] = (33 + size if layout.yaxis.title.text else 14) + marks + LETTER * size * _longest(figure)
    if _is_labelled(layout.xaxis) and layout.xaxis.side != "top":
        raised = 0.4 * size if layout.xaxis.exponentformat == "power" else 0
        needed["b"] = (25 + 2.4 * size if layout.xaxis.title.text else 7 + 1.65 * size) + marks + raised
    if (names := _listed(figure)) and layout.legend.y is not None and layout.legend.y >= 1:
        needed["t"] = _above(figure, names, share, below=max(needed["b"], margin.b))
    spare = min(
        SPARE, margin.r, max(margin.t, needed["t"] + SPARE), *(margin[side] or 0 for side in "lb" if not needed[side])
    )
    room = {side: max(margin[side], math.ceil(pixels + spare)) for side, pixels in needed.items() if pixels}
    layout.margin.update(room)
    return figure


def _above(figure: go.Figure, names: list[str], share: float, *, below: float) -> float:
    """Pixels for a legend of these names above the plot, which has `below` pixels under it."""
    layout = figure.layout
    size = layout.font.size
    grouped = any(trace.legendgroup for trace in figure.data if trace.type in LISTED)
    width = share * (LINE if size < LARGE else PRESENTED) - BESIDE
    aside = layout.legend.orientation == "h"
    lines = _lines_of_legend(names, width, grouped=grouped) if aside else len(names)
    line = 1.5 * size + (10 if grouped else 0)
    # The legend stands at a share of the plot's own height, which is what is left of the figure's.
    left = (layout.height or 0) - below
    return (16 + 1.2 * size + line * (lines - 1) + (layout.legend.y - 1) * left) / layout.legend.y


def _is_labelled(axis: go.layout.XAxis | go.layout.YAxis) -> bool:
    return bool(axis.automargin) and axis.visible is not False and axis.showticklabels is not False


def _longest(figure: go.Figure) -> float:
    """How many letters the longest label of the vertical axis has."""
    axis = figure.layout.yaxis
    named = [axis.ticktext] if axis.ticktext is not None else [trace.y for trace in figure.data if _has_names(trace)]
    if named:
        return max((len(line) for names in named for name in names for line in _lines(name)), default=0)
    return POWER if axis.exponentformat == "power" else _of_numbers(figure)


def _lines(name: str) -> list[str]:
    """What is written of a name in Plotly's few tags, line by line."""
    return re.sub("<(?!br)[^>]*>", "", name).split("<br>")


def _of_numbers(figure: go.Figure) -> float:
    """How long the numbers get that Plotly writes beside these values."""
    drawn = [np.asarray(trace.y) for trace in figure.data if "y" in trace]
    numbers = [values for values in drawn if values.dtype.kind in "iuf" and np.isfinite(values).any()]
    ends = [end(values) for values in numbers for end in (np.nanmin, np.nanmax)]
    if not ends:
        return NUMBER
    span = max(ends) - min(ends)
    decimals = 0 if span > STEPS else 2 if span > STEPS / 10 else 3  # the point counted
    return len(f"{max(map(abs, ends)):,.0f}") + decimals


def _has_names(trace: BaseTraceType) -> bool:
    """Whether names stand along the vertical axis, not numbers."""
    return "y" in trace and trace.y is not None and len(trace.y) > 0 and isinstance(trace.y[0], str)


def _lines_of_legend(names: list[str], width: float, *, grouped: bool) -> int:
    """How many lines these names fill: where one is not enough, Plotly sets them in equal columns, unless grouped."""
    widths = [3 + LISTED_LETTER * len(name) for name in names]
    if sum(widths) <= width or grouped:
        return math.ceil(sum(widths) / width)
    return math.ceil(len(names) / max(1, int(width / max(widths))))


def _listed(figure: go.Figure) -> list[str]:
    """The names in the legend; none where there is no legend."""
    shown = figure.layout.showlegend
    names = [trace.name or "" for trace in figure.data if trace.type in LISTED and trace.showlegend is not False]
    return names if shown or (shown is None and len(names) > 1) else []


LISTED = ("scatter", "bar")  # kinds of traces that a legend lists
