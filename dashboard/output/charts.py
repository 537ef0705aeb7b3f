"""A figure on a page, and its downloads."""

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
    """Show a figure and, below it, its downloads: link, picture (SVG, PNG) and numbers (CSV).

    `name` is the widget's key and begins the names of files; `alt` describes the figure in a sentence; `table` holds
    its numbers, one row for each point or cell. `on_select` is called when a point is clicked; the point is then in the
    session under `name`.

    The result of a `partial` is cached by its function and arguments: the function must be pure, and defined at the top
    of a module. Plotly takes 5 to 100 ms to check a figure. The same holds for a table.
    """
    plot(figure, name=name, alt=alt, on_select=on_select)
    if not theme.is_presented():
        csv = _cached_csv(_Call(table)) if isinstance(table, partial) else _small_csv(table)
        takeaway(name, name=f"attention-atlas-{name}", alt=alt, csv=csv)
        if table is not None and csv is None:
            download_table(table, name)


def plot(
    figure: go.Figure | partial[go.Figure], *, name: str, alt: str, on_select: Callable[[], None] | None = None
) -> None:
    """Show a figure without downloads."""
    clicked = on_select is not None
    st.plotly_chart(
        _cached_figure(_Call(figure), clicked) if isinstance(figure, partial) else _serializable(figure, clicked),
        key=name,
        alt=alt,
        theme=None,
        # On a projector the first one fills the screen (components/projector); it is never less than its own height.
        height="stretch" if theme.is_presented() else "content",
        config={"displayModeBar": False},
        on_select=on_select or "ignore",
        selection_mode="points",
    )


@dataclass(frozen=True)
class _Call:
    """A pure function with its arguments, as a key of the cache."""

    make: partial

    @cached_property
    def identity(self) -> str:
        """A digest of the function and all its arguments."""
        return hashlib.blake2b(pickle.dumps(self.make, protocol=5), digest_size=16).hexdigest()


class _SerializedFigure(BaseFigure):
    """A figure reduced to the dict that is sent.

    Streamlit calls `to_dict` of a figure whenever it is shown, and copying everything takes longer than sending it.
    """

    def __init__(self, figure: go.Figure):
        self._content = figure.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Traces and layout, not to be changed."""
        return self._content


@cached(computes=False)
def _cached_figure(call: _Call, clicked: bool) -> _SerializedFigure:
    return _SerializedFigure(_serializable(call.make(), clicked))


@cached(computes=False)
def _cached_csv(call: _Call) -> str | None:
    return _small_csv(call.make())


def _serializable(figure: go.Figure, clicked: bool) -> go.Figure:
    if clicked:
        # What Streamlit would set otherwise, after a first drawing.
        figure.update_layout(clickmode="event+select", hovermode="closest", dragmode="pan")
    return without_redraw(figure)


def without_redraw(figure: go.Figure) -> go.Figure:
    """The same figure, changed so that the browser does not draw it twice.

    Streamlit hands each new figure to Plotly twice, the second time as a copy. Plotly draws the copy again if it takes
    something for new: numbers, if the figure has no `datarevision`; an array that came as bytes; a template, even an
    equal one.
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
    """Draw a button for the numbers as CSV, computed at a click; nothing on a projector."""
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
    """The CSV that is sent with a figure; None for no table, or one of more than MOST_CELLS cells."""
    return csv_of(table) if table is not None and table.size <= MOST_CELLS else None


def csv_of(table: pd.DataFrame) -> str:
    """A table as CSV that is safe for spreadsheets: a text that starts like a formula gets an apostrophe."""
    numbers = pd.api.types.is_numeric_dtype
    columns = [column if numbers(column) else column.map(_escaped) for _, column in table.items()]
    return pd.concat(columns, axis=1).rename(columns=_escaped).to_csv(index=False, lineterminator="\r\n")


def _escaped(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_SIGNS) else value


# Cells of a table whose CSV is sent with the figure; that of a larger one is computed at a click.
MOST_CELLS = 5_000
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
