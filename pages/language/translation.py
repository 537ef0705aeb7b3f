"""Which word does each word come from?"""

import streamlit as st

from dashboard import layout, words
from dashboard.translation import (
    change_section,
    measured_section,
    named_section,
    pair_section,
    steps_section,
    translate_section,
)
from dashboard.words import translation as said

SECTIONS = {
    said.TRANSLATE: translate_section.show,
    said.STEPS: steps_section.show,
    said.PAIR: pair_section.show,
    said.CHANGE: change_section.show,
    said.MEASURED: measured_section.show,
    said.OTHERS: named_section.show,
}

layout.head(words.TRANSLATION)
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.TRANSLATE, key="show", bind="query-params", required=True
)
SECTIONS[section]()
