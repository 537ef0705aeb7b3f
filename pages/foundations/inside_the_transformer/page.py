"""What happens between input and output?"""

import streamlit as st

from dashboard import layout
from pages.foundations.inside_the_transformer import given, lens_section, sizes_section, stream_section, walk_section
from pages.foundations.inside_the_transformer import words as said
from pages.foundations.inside_the_transformer import words as words_inside

SECTIONS = {
    said.WALK: walk_section.show,
    said.STREAM: stream_section.show,
    said.LENS: lens_section.show,
    said.SIZES: sizes_section.show,
}

layout.head(words_inside.INSIDE)
walk = given.given()
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.WALK, key="show", bind="query-params", required=True
)
SECTIONS[section](walk)
