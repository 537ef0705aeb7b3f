"""What each head of a model does, what is lost without it, and what all of them make together."""

import streamlit as st

from dashboard import layout, words
from dashboard.heads import measured, output, silenced, together
from dashboard.heads.given import given

SECTIONS = {
    "Measured": measured.show,
    "Silenced": silenced.show,
    "Added up": output.show,
    "Taken together": together.show,
}

layout.head(words.HEADS)
run = given()
section = st.segmented_control(
    "What to look at", list(SECTIONS), default="Measured", key="show", bind="query-params", required=True
)
SECTIONS[section](run)
