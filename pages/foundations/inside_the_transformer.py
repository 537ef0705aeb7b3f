"""What happens between input and output?"""

import streamlit as st

from dashboard import layout, words
from dashboard.inside import given, lens_section, sizes_section, stream_section, walk_section
from dashboard.words import inside as said

SECTIONS = {
    said.WALK: walk_section.show,
    said.STREAM: stream_section.show,
    said.LENS: lens_section.show,
    said.SIZES: sizes_section.show,
}

layout.head(words.INSIDE)
walk = given.given()
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.WALK, key="show", bind="query-params", required=True
)
SECTIONS[section](walk)
