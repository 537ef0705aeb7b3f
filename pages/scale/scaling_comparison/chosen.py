"""The chosen models: one as a card with all of its figures, several beside one another."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from pages.scale.scaling_comparison import words_explorer as said
from pages.scale.scaling_comparison.collection import Collection, Measure

MOST = 6  # models that a table can hold beside one another


def key(collection: Collection) -> str:
    """The name of the choice in the session and in the address."""
    return f"{collection.name}_chosen"


def field(collection: Collection) -> tuple[str, ...]:
    """The chosen names; to be changed here by typing, or by clicks in the picture."""
    return tuple(
        st.multiselect(
            said.CHOSEN,
            collection.rows.label.tolist(),
            key=key(collection),
            bind="query-params",
            max_selections=MOST,
            placeholder=said.CHOSEN_HINT,
            help=said.CHOSEN_HELP,
        )
    )


def clicked(collection: Collection, chart: str) -> Callable[[], None]:
    """What a click in the picture does: a model is chosen, or is no longer; `chart` is the picture's key."""

    def switch() -> None:
        points = st.session_state[chart].selection.points
        last = f"{chart}_last"
        # Clicked once more, a point is given back as "nothing selected".
        rows = [_row(point["customdata"]) for point in points] or st.session_state.get(last, [])
        st.session_state[last] = rows if points else []
        labels = [str(collection.rows.label.loc[row]) for row in rows if row in collection.rows.index]
        chosen = list(st.session_state.get(key(collection), []))
        for label in labels:
            chosen = [name for name in chosen if name != label] if label in chosen else [*chosen, label][-MOST:]
        st.session_state[key(collection)] = chosen

    return switch


def _row(given: Any) -> int:
    """The row of a clicked point, which comes back as a number, or as a list of one."""
    return int(given[0] if isinstance(given, list) else given)


def show(collection: Collection, labels: tuple[str, ...]) -> None:
    """A card, or a table of several; nothing where none is chosen."""
    if not labels:
        return
    rows = collection.rows.set_index("label").loc[list(labels)]
    with st.container(border=True, key=f"{collection.name}_cards"):
        if len(labels) == 1:
            st.markdown(f"#### {layout.plain(labels[0])}")
        st.markdown(as_markdown(collection, rows))
        if len(labels) > 1:
            st.caption(said.BEST)
            charts.download_table(as_table(collection, rows), f"{collection.name}-compared")
        _links(collection, rows)


def as_table(collection: Collection, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a model, with all of its figures as numbers."""
    columns = {measure.column: measure.axis for measure in collection.measures}
    words = {"family": collection.families, **collection.details, "source": "Source"}
    return rows[[*columns, *words]].rename(columns={**columns, **words}).reset_index(names="model")


def as_markdown(collection: Collection, rows: pd.DataFrame) -> str:
    """A column a model, a line a figure; the best of several is bold where better is defined."""
    several = len(rows) > 1
    families = [collection.families, *(layout.plain(str(family)) for family in rows.family)]
    ruler = [":--", *("--:" if several else ":--" for _ in rows.index)]
    names = ["", *(layout.plain(str(label)) for label in rows.index)]
    # A card has its name above: its first line is the head of the table.
    lines = [names, ruler, families] if several else [families, ruler]
    lines += [
        *(_figures(measure, rows) for measure in collection.measures if rows[measure.column].notna().any()),
        *([title, *(_cell(cell) for cell in rows[column])] for column, title in _details(collection, rows).items()),
        ["Source", *(layout.plain(str(source)) for source in rows.source)],
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _details(collection: Collection, rows: pd.DataFrame) -> dict[str, str]:
    return {column: title for column, title in collection.details.items() if rows[column].astype(bool).any()}


def _cell(value: object) -> str:
    return layout.plain(str(value)) if value else "—"


def _figures(measure: Measure, rows: pd.DataFrame) -> list[str]:
    values = rows[measure.column]
    best = values.max() if measure.better == "more" else values.min() if measure.better == "less" else None
    marked = len(rows) > 1 and best is not None and values.nunique() > 1
    return [
        measure.title,
        *(f"**{measure.tell(value)}**" if marked and value == best else measure.tell(value) for value in values),
    ]


def _links(collection: Collection, rows: pd.DataFrame) -> None:
    """Ways to the sources that have an address."""
    if not collection.link:
        return
    with st.container(horizontal=True):
        for label, link in rows[collection.link].items():
            if str(link).startswith(("https://", "http://")):
                name = f"{said.OPEN_SOURCE}: {label}" if len(rows) > 1 else said.OPEN_SOURCE
                st.link_button(layout.plain(name), link, icon=":material/open_in_new:", type="tertiary")
