"""A figure in a form that the browser draws once.

Streamlit hands each new figure to Plotly twice, the second time as a copy. Plotly draws the copy again unless it sees
that nothing in it is new. It takes as new: numbers, if the figure says nothing of their revision; an array that came
as bytes; a template, even an equal one. So a figure has a revision, numbers that are spelt out, and no template: all
that a page's figures share is set by `paper.on_paper`.
"""

import numpy as np
import plotly.graph_objects as go

NUMBERS = ("x", "y", "customdata")  # of a trace
MARKED = ("color", "size")  # of its marks


def drawn_once(figure: go.Figure) -> go.Figure:
    """The same figure, so that a copy of it is seen to be one."""
    figure.layout.template = None
    figure.layout.datarevision = 1
    for trace in figure.data:
        _spell_out(trace, NUMBERS)
        if "marker" in trace:
            _spell_out(trace.marker, MARKED)
    return figure


def _spell_out(holder, names: tuple[str, ...]) -> None:
    """Lists instead of arrays: these are sent as text, those as bytes."""
    for name in names:
        if name in holder and isinstance(values := holder[name], np.ndarray) and values.ndim == 1:
            holder[name] = None  # what equals what is there would not be taken
            holder[name] = values.tolist()
