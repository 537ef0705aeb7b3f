"""How does a picture become a sequence?"""

import streamlit as st

from dashboard import layout
from pages.vision.vision_transformer import (
    change_section,
    explain_section,
    maps_section,
    measured_section,
    sequence_section,
)
from pages.vision.vision_transformer import words as said
from pages.vision.vision_transformer import words as words_vision

SECTIONS = {
    said.SEQUENCE: sequence_section.show,
    said.MAPS: maps_section.show,
    said.EXPLAIN: explain_section.show,
    said.CHANGE: change_section.show,
    said.MEASURED: measured_section.show,
}

layout.head(words_vision.VISION)
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.SEQUENCE, key="show", bind="query-params", required=True
)
SECTIONS[section]()
