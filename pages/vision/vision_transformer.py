"""How does a picture become a sequence?"""

import streamlit as st

from dashboard import layout, words
from dashboard.vision import change_section, explain_section, maps_section, measured_section, sequence_section
from dashboard.words import vision as said

SECTIONS = {
    said.SEQUENCE: sequence_section.show,
    said.MAPS: maps_section.show,
    said.EXPLAIN: explain_section.show,
    said.CHANGE: change_section.show,
    said.MEASURED: measured_section.show,
}

layout.head(words.VISION)
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.SEQUENCE, key="show", bind="query-params", required=True
)
SECTIONS[section]()
