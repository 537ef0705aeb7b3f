"""The strongest weights that are lost, with their tokens."""

import pandas as pd
import streamlit as st

from core.efficient.approximation_error import Comparison
from core.text import Tokens
from dashboard import charts, layout
from pages.scale.efficient_attention import words_maps as said

SEEN = 1e-3  # weights that fall by less are not listed


def links_part(found: Comparison, tokens: Tokens) -> None:
    """A table, the strongest loss first."""
    st.markdown(f"**{said.LINKS}**")
    table = links_table(found, tokens)
    if table.empty:
        st.caption(said.NO_LINKS)
        return
    digits = {name: st.column_config.NumberColumn(format="%.3f", width=70) for name in ("exact", "now")}
    st.dataframe(table, hide_index=True, column_config=digits)
    charts.download_table(table, "maps-lost-links")


def links_table(found: Comparison, tokens: Tokens) -> pd.DataFrame:
    """One row a link."""
    links = [link for link in found.links if link.exact - link.approximate >= SEEN]
    return pd.DataFrame(
        {
            "query": [f"{link.query} {layout.readable(tokens.labels[link.query])}" for link in links],
            "key": [f"{link.key} {layout.readable(tokens.labels[link.key])}" for link in links],
            "exact": [link.exact for link in links],
            "now": [link.approximate for link in links],
        }
    )
