"""A table of numbers, and the meaning of its headers."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from dashboard import glossary, theme, typeset
from dashboard.glossary import Term

PERCENT = "%.1f%%"  # all shares of a column with as many digits: Streamlit's "percent" leaves out zeros at the end
ROW, PRESENTED_ROW = 35, 48  # pixels of a row; in rem it would keep the letters' size from when it was drawn


def data_table(rows: pd.DataFrame | Styler, *, column_config: Mapping[str, Any] | None = None, **more: Any) -> None:
    """Show a table; headers that name terms have their meaning as a tooltip, and links to the terms stand below.

    The table is drawn on a canvas, which can hold no link, and a finger cannot hover. Numbers of the format "percent"
    are written with one digit. `more` is passed to `st.dataframe`.
    """
    configured = dict(column_config or {})
    visible_columns = [
        column for column in rows.columns if configured.get(column, "") is not None
    ]  # None hides a column
    terms_by_column = {column: terms for column in visible_columns if (terms := glossary.terms_in([str(column)]))}
    for column, terms in terms_by_column.items():
        configured[column] = _with_help(configured.get(column), terms)
    row = PRESENTED_ROW if theme.is_presented() else ROW
    shares = [name for name, config in configured.items() if name in rows.columns and _is_share(config)]
    if isinstance(rows, pd.DataFrame) and shares:
        rows = rows.assign(**{name: 100 * pd.to_numeric(rows[name]) for name in shares})
        configured |= {name: _with_format(configured[name], PERCENT) for name in shares}
    st.dataframe(rows, column_config=configured, row_height=row, **more)
    all_terms = dict.fromkeys(term for terms in terms_by_column.values() for term in terms)
    if all_terms and not theme.is_presented():
        st.caption(f"Terms: {glossary.links(all_terms)}")


def _is_share(config: Any) -> bool:
    """Whether Streamlit would write a column's numbers as percentages."""
    kind = config.get("type_config", {}) if isinstance(config, dict) else {}
    return kind.get("type") == "number" and kind.get("format") == "percent"


def _with_format(config: Mapping[str, Any], number_format: str) -> dict[str, Any]:
    return {**config, "type_config": {**config["type_config"], "format": number_format}}


def _with_help(config: Any, terms: list[Term]) -> Any:
    """A column's settings with the meaning of its header as help; unchanged if they are a label, or have a help."""
    help_text = " ".join(f"**{typeset.plain(term.name)}**: {typeset.plain(term.says)}" for term in terms)
    if config is None:
        return st.column_config.Column(help=help_text)
    return {**config, "help": config.get("help") or help_text} if isinstance(config, dict) else config
