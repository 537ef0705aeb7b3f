"""A table of numbers, and what its heads mean."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from dashboard import glossary, layout
from dashboard.glossary import Term

PERCENT = "percent"  # the format of Streamlit for shares
LEAST = 0.0005  # of shares, that one digit behind the point shows
ROW, PRESENTED_ROW = 35, 48  # pixels of a row; in rem it would keep the letters' size from when it was drawn


def data_table(rows: pd.DataFrame | Styler, *, column_config: Mapping[str, Any] | None = None, **more: Any) -> None:
    """Show it; heads that name terms say so under the pointer, and links below lead to what the terms mean.

    The table is drawn on a canvas, which can hold no link, and a finger does not hover. `more` is for `st.dataframe`.
    """
    configured = dict(column_config or {})
    seen = [column for column in rows.columns if configured.get(column, "") is not None]  # None hides a column
    named = {column: terms for column in seen if (terms := glossary.terms_in([str(column)]))}
    for column, terms in named.items():
        configured[column] = _explained(configured.get(column), terms)
    row = PRESENTED_ROW if layout.is_presented() else ROW
    shown, configured = _with_percents(rows, configured)
    st.dataframe(shown, column_config=configured, row_height=row, **more)
    every = dict.fromkeys(term for terms in named.values() for term in terms)
    if every and not layout.is_presented():
        st.caption(f"Terms: {glossary.links(every)}")


def _with_percents(
    rows: pd.DataFrame | Styler, configured: dict[str, Any]
) -> tuple[pd.DataFrame | Styler, dict[str, Any]]:
    """Shares in per cent, all of a column with as many digits: Streamlit leaves out zeros, so that points do not align.

    What such a column holds stays a number, for sorting; its format goes from the settings, where it would win.
    """
    known = rows.data if isinstance(rows, Styler) else rows
    shares = [name for name, config in configured.items() if name in known and _format_of(config) == PERCENT]
    if not shares:
        return rows, configured
    if isinstance(rows, pd.DataFrame):
        # A styled table is written as pandas would, with six digits; all other numbers are to look as in any table.
        rows = rows.style.format(dict.fromkeys(rows.select_dtypes("float").columns, _as_usual), na_rep="")
    for name in shares:
        rows = rows.format(f"{{:.{_digits(known[name])}%}}", subset=[name], na_rep="")
    plain = {
        name: {**configured[name], "type_config": {**configured[name]["type_config"], "format": None}}
        for name in shares
    }
    return rows, configured | plain


def _format_of(config: Any) -> str | None:
    return config.get("type_config", {}).get("format") if isinstance(config, dict) else None


def _as_usual(number: float) -> str:
    """As Streamlit writes a number: four digits behind the point, more if it is small, and no zeros at the end."""
    digits = 4 if number == 0 or abs(number) >= 1e-4 else -math.floor(math.log10(abs(number)))
    return f"{number:.{digits}f}".rstrip("0").rstrip(".")


def _digits(shares: pd.Series) -> int:
    """Behind the point: one, or two where one would leave nothing of a share."""
    known = shares.dropna().abs()
    return 2 if ((known > 0) & (known < LEAST)).any() else 1


def _explained(config: Any, terms: list[Term]) -> Any:
    """A column's settings with the meaning of its head as help, if they have none and are more than a label."""
    says = " ".join(f"**{layout.plain(term.name)}**: {layout.plain(term.says)}" for term in terms)
    if config is None:
        return st.column_config.Column(help=says)
    return {**config, "help": config.get("help") or says} if isinstance(config, dict) else config
