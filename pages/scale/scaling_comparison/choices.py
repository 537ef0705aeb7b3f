"""What a visitor chooses to see of a table: axes, scales, and which of its models."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from dashboard import controls, layout
from pages.scale.scaling_comparison import words_explorer as said
from pages.scale.scaling_comparison.collection import Collection, Measure

LONGEST_SEARCH = 80  # characters


@dataclass(frozen=True)
class Choices:
    """The axes with their scales, and the filters: empty ones let everything through."""

    x: Measure
    y: Measure
    log_x: bool = False
    log_y: bool = False
    families: tuple[str, ...] = ()
    only: Mapping[str, tuple[str, ...]] | None = None  # column of words -> the values that stay
    years: tuple[int, int] | None = None
    search: str = ""
    front: bool = True


def choices(collection: Collection) -> Choices:
    """Two rows of controls: axes above, filters below."""
    with layout.control_bar():
        x, log_x = _axis(collection, "x", said.X, collection.x)
        y, log_y = _axis(collection, "y", said.Y, collection.y)
        may_front = has_front(x, y)
        front = st.toggle(
            said.FRONT,
            value=True,
            key=f"{collection.name}_front",
            bind="query-params",
            disabled=not may_front,
            help=said.FRONT_HELP,
        )
    present = set(collection.rows.family)
    with layout.control_bar():
        families = st.pills(
            collection.families,
            [family for family in collection.hues if family in present],
            selection_mode="multi",
            wrap=True,
            key=f"{collection.name}_family",
            bind="query-params",
        )
        only = {column: _only(collection, column, title) for column, title in collection.filters.items()}
        years = _years(collection)
        search = st.text_input(
            said.SEARCH,
            key=f"{collection.name}_search",
            bind="query-params",
            max_chars=LONGEST_SEARCH,
            placeholder=said.SEARCH_HINT,
            width=controls.WIDTH,
        )
    return Choices(x, y, log_x, log_y, tuple(families), only, years, search or "", front and may_front)


def has_front(x: Measure, y: Measure) -> bool:
    """Whether a Pareto front makes sense: something is to be gained, and something else to be spent or gained."""
    return bool(x.better and y.better and x != y and "more" in (x.better, y.better))


def _axis(collection: Collection, side: str, label: str, first: str) -> tuple[Measure, bool]:
    titles = {measure.title: measure for measure in collection.measures}
    title = st.selectbox(
        label,
        list(titles),
        index=list(titles).index(collection.measure(first).title),
        key=f"{collection.name}_{side}",
        bind="query-params",
        width=230,
    )
    measure = titles[title]
    # A key for each measure: another axis begins with the scale that suits it.
    log = st.toggle(
        said.LOG,
        value=measure.log,
        key=f"{collection.name}_{side}log_{measure.column}",
        bind="query-params",
        disabled=measure.form == "year",
    )
    return measure, log and measure.form != "year"


def _only(collection: Collection, column: str, title: str) -> tuple[str, ...]:
    counted = collection.rows[column].value_counts()
    return tuple(
        st.multiselect(
            title,
            [value for value in counted.index if value],
            key=f"{collection.name}_{column}",
            bind="query-params",
            placeholder=said.ALL,
            width=controls.WIDTH,
        )
    )


def _years(collection: Collection) -> tuple[int, int] | None:
    if not collection.years:
        return None
    found = collection.rows[collection.years].dropna()
    low, high = int(found.min()), int(found.max())
    if low == high:
        return None
    chosen = st.slider(
        said.YEARS, low, high, (low, high), key=f"{collection.name}_years", bind="query-params", width=controls.WIDTH
    )
    return None if tuple(chosen) == (low, high) else (int(chosen[0]), int(chosen[1]))
