"""Which word does each word come from?"""

import streamlit as st

from dashboard import layout
from pages.language.translation import (
    change_section,
    measured_section,
    named_section,
    pair_section,
    steps_section,
    translate_section,
)
from pages.language.translation import words as said
from pages.language.translation import words as words_translation

SECTIONS = {
    said.TRANSLATE: translate_section.show,
    said.STEPS: steps_section.show,
    said.PAIR: pair_section.show,
    said.CHANGE: change_section.show,
    said.MEASURED: measured_section.show,
    said.OTHERS: named_section.show,
}

layout.head(words_translation.TRANSLATION)
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.TRANSLATE, key="show", bind="query-params", required=True
)
SECTIONS[section]()
