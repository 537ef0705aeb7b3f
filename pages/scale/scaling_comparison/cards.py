"""A model of a published table as a card with all of its figures; several beside one another."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import typeset
from dashboard.output import charts
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import Measure, Table

OPEN_SOURCE = "Open the source"


def show(table: Table, rows: pd.DataFrame) -> None:
    """One of `rows` (by their names) as a card with all of its figures, several beside one another."""
    with st.container(border=True, key=f"{table.name}_cards"):
        if len(rows) == 1:
            st.markdown(f"#### {typeset.plain(rows.index[0])}")
        st.markdown(as_markdown(table, rows))
        if len(rows) > 1:
            st.caption(PAGE.text("Bold figures"))
            columns = {measure.column: measure.axis for measure in table.measures}
            columns |= {"family": table.families, **_details(table, rows), "source": "Source"}
            compared = rows[list(columns)].rename(columns=columns).reset_index(names="model")
            charts.download_table(compared, f"{table.name}-compared")
        with st.container(horizontal=True):
            for label, link in rows[table.link].items() if table.link else ():
                if str(link).startswith(("https://", "http://")):
                    name = f"{OPEN_SOURCE}: {label}" if len(rows) > 1 else OPEN_SOURCE
                    st.link_button(typeset.plain(name), link, icon=":material/open_in_new:", type="tertiary")


def as_markdown(table: Table, rows: pd.DataFrame) -> str:
    """A column a model, a line a figure; the best of several is bold where better is defined."""
    several = len(rows) > 1
    families = [table.families, *_cells(rows.family)]
    ruler = [":--", *("--:" if several else ":--" for _ in rows.index)]
    # A card has its name above: its first line is the head of the table.
    lines = [["", *_cells(rows.index)], ruler, families] if several else [families, ruler]
    lines += [
        *(_figures(measure, rows) for measure in table.measures if rows[measure.column].notna().any()),
        *([title, *_cells(rows[column])] for column, title in _details(table, rows).items()),
        ["Source", *_cells(rows.source)],
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _details(table: Table, rows: pd.DataFrame) -> dict[str, str]:
    """Columns of words, with their titles, in which these rows have any."""
    titles = {**table.details, "note": "Note"}
    return {column: title for column, title in titles.items() if rows[column].astype(bool).any()}


def _cells(values: Sequence[object] | pd.Series | pd.Index) -> list[str]:
    return [typeset.plain(str(value)) if value else "—" for value in values]


def _figures(measure: Measure, rows: pd.DataFrame) -> list[str]:
    values = rows[measure.column]
    best = values.max() if measure.better == "more" else values.min() if measure.better == "less" else None
    marked = best is not None and values.nunique() > 1
    texts = (f"**{measure.tell(value)}**" if marked and value == best else measure.tell(value) for value in values)
    return [measure.title, *texts]
