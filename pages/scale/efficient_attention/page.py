"""What may be left out?"""

import streamlit as st

from dashboard import layout
from pages.scale.efficient_attention import cost_section, maps_section, scratch_section, swapped_section
from pages.scale.efficient_attention import words as said
from pages.scale.efficient_attention import words as words_efficient

SECTIONS = {
    said.MAPS: maps_section.show,
    said.SWAPPED: swapped_section.show,
    said.SCRATCH: scratch_section.show,
    said.COST: cost_section.show,
}

layout.head(words_efficient.EFFICIENT)
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.MAPS, key="show", bind="query-params", required=True
)
SECTIONS[section]()
