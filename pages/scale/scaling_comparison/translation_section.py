"""Translation: BLEU against the FLOPs of training, and against the years."""

import streamlit as st

from dashboard import layout
from pages.scale.scaling_comparison import compute as kept
from pages.scale.scaling_comparison import translation_notices as notices
from pages.scale.scaling_comparison import words_translation as said
from pages.scale.scaling_comparison.collection import Collection, Measure
from pages.scale.scaling_comparison.explorer import explore
from pages.scale.scaling_comparison.hues import FAMILY

BLEU = (
    Measure("bleu_german", "BLEU, English to German", "", "more", "two"),
    Measure("bleu_french", "BLEU, English to French", "", "more", "two"),
)
FLOPS = (
    Measure("flops_german", "FLOPs, English to German", "", "less", "power", log=True),
    Measure("flops_french", "FLOPs, English to French", "", "less", "power", log=True),
)


def paper(french: bool) -> Collection:
    """The table of "Attention is all you need"; the two languages begin with axes of their own."""
    return Collection(
        "bleufr" if french else "bleude",
        kept.translators(),
        (*FLOPS, *BLEU),
        x=FLOPS[french].column,
        y=BLEU[french].column,
        hues=FAMILY,
        filters={"ensemble": "Single or ensemble"},
        details={"ensemble": "Single or ensemble"},
    )


def leaders() -> Collection:
    """The best of each year until 2020."""
    return Collection(
        "wmt14",
        kept.translation_leaders(),
        (Measure("year", "Year", "", "", "year"), *BLEU),
        x="year",
        y="bleu_german",
        hues=FAMILY,
        filters={"data": "Learned from"},
        years="year",
        details={"data": "Learned from", "reference": "Reference"},
        own_data="WMT14",
        link="link",
    )


def show() -> None:
    """One of the tables in the explorer, and the notes on what is shown of it."""
    st.subheader(said.TITLE, anchor=False)
    table = st.segmented_control(
        "Table", said.TABLES, default=said.GERMAN, key="translation_table", bind="query-params", required=True
    )
    if not layout.is_presented():
        st.markdown(said.ABOUT[table], width=layout.PROSE)
    if table == said.YEARS:
        shown = explore(leaders(), told=notices.stated)
    else:
        shown = explore(paper(table == said.FRENCH), told=notices.estimated)
    layout.notes(said.NOTES, notice=notices.about(shown), formula=lambda: notices.formula(shown))
