"""What did RNN, LSTM, GRU and convolution see?"""

import streamlit as st

from dashboard import layout, words
from dashboard.before import copy_section, models_section, reach_section, ways_section
from dashboard.words import before as said

SECTIONS = {
    said.REACH: reach_section.show,
    said.COPY: copy_section.show,
    said.WAYS: ways_section.show,
    said.MODELS: models_section.show,
}

layout.head(words.BEFORE)
chosen = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.REACH, key="show", bind="query-params", required=True
)
SECTIONS[chosen]()
