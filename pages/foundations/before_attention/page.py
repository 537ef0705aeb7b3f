"""What did RNN, LSTM, GRU and convolution see?"""

import streamlit as st

from dashboard import layout
from pages.foundations.before_attention import copy_section, models_section, reach_section, ways_section
from pages.foundations.before_attention import words as said
from pages.foundations.before_attention import words as words_before

SECTIONS = {
    said.REACH: reach_section.show,
    said.COPY: copy_section.show,
    said.WAYS: ways_section.show,
    said.MODELS: models_section.show,
}

layout.head(words_before.BEFORE)
chosen = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.REACH, key="show", bind="query-params", required=True
)
SECTIONS[chosen]()
