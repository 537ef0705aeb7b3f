"""What do shifted windows see?"""

import streamlit as st

from dashboard import layout
from pages.vision.swin import bias_section, maps_section, reach_section, windows_section
from pages.vision.swin import words as said
from pages.vision.swin import words as words_swin

SECTIONS = {
    said.WINDOWS: windows_section.show,
    said.MAPS: maps_section.show,
    said.BIAS: bias_section.show,
    said.REACH: reach_section.show,
}

layout.head(words_swin.SWIN)
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.WINDOWS, key="show", bind="query-params", required=True
)
SECTIONS[section]()
