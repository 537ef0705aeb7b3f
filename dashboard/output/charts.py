"""A figure on a page, and what can be taken away from it."""

import hashlib
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.basedatatypes import BaseFigure

from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.components.takeaway import takeaway


def chart(
    figure: go.Figure | partial[go.Figure],
    *,
    name: str,
    alt: str,
    table: pd.DataFrame | partial[pd.DataFrame] | None = None,
    on_select: Callable[[], None] | None = None,
) -> None:
    """Show a figure and, below it, what can be taken away: link, picture (SVG, PNG) and numbers (CSV).

    `name` is the widget's key and begins the names of files; `alt` says in a sentence what is to be seen; `table`
    holds the numbers of the figure, one row a point or a cell. `on_select` is called when a point is clicked, which
    then stands in the session under `name`.

    A `partial` of a function that draws is called once, and what it drew kept for all who ask with equal arguments:
    the function must be pure, and a module's own. Plotly takes 5 to 100 ms to check a figure. The same for a table.
    """
    plot(figure, name=name, alt=alt, on_select=on_select)
    if not theme.is_presented():
        csv = _kept_csv(_Asked(table)) if isinstance(table, partial) else _small_csv(table)
        takeaway(name, name=f"attention-atlas-{name}", alt=alt, csv=csv)
        if table is not None and csv is None:
            download_table(table, name)


def plot(
    figure: go.Figure | partial[go.Figure], *, name: str, alt: str, on_select: Callable[[], None] | None = None
) -> None:
    """Show a figure alone."""
    clicked = on_select is not None
    st.plotly_chart(
        _kept(_Asked(figure), clicked) if isinstance(figure, partial) else _ready(figure, clicked),
        key=name,
        alt=alt,
        theme=None,
        config={"displayModeBar": False},
        on_select=on_select or "ignore",
        selection_mode="points",
    )


@dataclass(frozen=True)
class _Asked:
    """A pure function with its arguments, kept by what they are."""

    make: partial

    @cached_property
    def identity(self) -> str:
        """The same for the same function with equal arguments, down to the last number of each array."""
        return hashlib.blake2b(pickle.dumps(self.make, protocol=5), digest_size=16).hexdigest()


class _Ready(BaseFigure):
    """What a figure sends, and nothing else of it.

    Streamlit asks a figure for a copy of all that it holds whenever it is shown, which takes longer than sending it.
    """

    def __init__(self, figure: go.Figure):
        self._sent = figure.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Its traces and its layout, which nobody may change."""
        return self._sent


@cached(computes=False)
def _kept(asked: _Asked, clicked: bool) -> _Ready:
    return _Ready(_ready(asked.make(), clicked))


@cached(computes=False)
def _kept_csv(asked: _Asked) -> str | None:
    return _small_csv(asked.make())


def _ready(figure: go.Figure, clicked: bool) -> go.Figure:
    if clicked:
        # What Streamlit would set otherwise, after a first drawing.
        figure.update_layout(clickmode="event+select", hovermode="closest", dragmode="pan")
    return drawn_once(figure)


def drawn_once(figure: go.Figure) -> go.Figure:
    """The same figure, so that the browser does not draw it twice.

    Streamlit hands each new figure to Plotly twice, the second time as a copy. Plotly draws the copy again where it
    takes something for new: numbers, if the figure says nothing of their revision; an array that came as bytes; a
    template, even an equal one.
    """
    figure.layout.template = None
    figure.layout.datarevision = 1
    for trace in figure.data:
        for holder, names in ((trace, ("x", "y", "customdata")), (getattr(trace, "marker", {}), ("color", "size"))):
            for name in names:
                if name in holder and isinstance(values := holder[name], np.ndarray) and values.ndim == 1:
                    holder[name] = None  # what equals what is there would not be taken
                    holder[name] = values.tolist()
    return figure


def download_table(table: pd.DataFrame | partial[pd.DataFrame], name: str) -> None:
    """A button for the numbers as CSV, made when it is asked for; none on a projector."""
    if theme.is_presented():
        return
    st.download_button(
        "Numbers (CSV)",
        data=lambda: csv_of(table() if isinstance(table, partial) else table).encode("utf-8-sig"),
        file_name=f"attention-atlas-{name}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        key=f"csv-{name}",
    )


def _small_csv(table: pd.DataFrame | None) -> str | None:
    """What goes to the browser with its figure; None if there is nothing, or too much."""
    return csv_of(table) if table is not None and table.size <= SENT else None


def csv_of(table: pd.DataFrame) -> str:
    """A table as CSV that a spreadsheet may open: a text that starts like a formula gets an apostrophe."""
    numbers = pd.api.types.is_numeric_dtype
    columns = [column if numbers(column) else column.map(_inert) for _, column in table.items()]
    return pd.concat(columns, axis=1).rename(columns=_inert).to_csv(index=False, lineterminator="\r\n")


def _inert(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


# Cells of a table that go to the browser with the figure; a larger one is made when it is asked for.
SENT = 5_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
