"""The same formula on famous models, against what was published."""

import pandas as pd
import streamlit as st

from core.published import model_sizes
from core.sizes import total
from dashboard import charts, layout
from pages.foundations.inside_the_transformer import words_sizes as said


def show() -> None:
    """The table, to be sorted by a click on a column."""
    st.subheader("The same formula on famous models", anchor=False)
    if not layout.is_presented():
        st.markdown(said.FAMOUS, width=layout.PROSE)
    table = frame()
    whole = st.column_config.NumberColumn(format="localized")
    st.dataframe(
        table,
        hide_index=True,
        height="content",
        column_config={
            "formula": whole,
            "published": whole,
            "printed": whole,
            "difference": st.column_config.NumberColumn(format="percent"),
            "year": st.column_config.NumberColumn(format="%d"),
        },
    )
    charts.download_table(table, "famous-sizes")


def frame() -> pd.DataFrame:
    """One row a model; `difference` is that of the formula from the published count, as a share of it."""
    return pd.DataFrame(
        {
            "model": each.model,
            "year": each.year,
            "formula": total(each.shape),
            "published": each.published,
            "difference": total(each.shape) / each.published - 1,
            "printed": each.printed,
            "layers": each.shape.layers + each.shape.decoder_layers,
            "width": each.shape.width,
            "heads": each.shape.heads,
            "note": each.note,
            "published in": each.published_source,
            "printed in": each.printed_source,
        }
        for each in model_sizes()
    )
