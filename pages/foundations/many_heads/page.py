"""What each head of a model does, what is lost without it, and what all of them make together."""

import streamlit as st

from dashboard import layout
from pages.foundations.many_heads import measured, output, silenced, together
from pages.foundations.many_heads import words as words_heads
from pages.foundations.many_heads.given import given

SECTIONS = {
    "Measured": measured.show,
    "Silenced": silenced.show,
    "Added up": output.show,
    "Taken together": together.show,
}

layout.head(words_heads.HEADS)
run = given()
section = st.segmented_control(
    "What to look at", list(SECTIONS), default="Measured", key="show", bind="query-params", required=True
)
SECTIONS[section](run)
