"""What does size buy?"""

import streamlit as st

from dashboard import layout
from pages.scale.scaling_comparison import (
    calculator_section,
    images_section,
    language_section,
    laws_section,
    small_data_section,
    transfer_section,
    translation_section,
    years_section,
)
from pages.scale.scaling_comparison import words as said
from pages.scale.scaling_comparison import words as words_scaling

SECTIONS = {
    said.TRANSLATION: translation_section.show,
    said.IMAGES: images_section.show,
    said.TRANSFER: transfer_section.show,
    said.LANGUAGE: language_section.show,
    said.YEARS: years_section.show,
    said.LAWS: laws_section.show,
    said.CALCULATOR: calculator_section.show,
    said.SMALL: small_data_section.show,
}

layout.head(words_scaling.SCALING)
section = st.segmented_control(
    "What to look at", list(SECTIONS), default=said.TRANSLATION, key="show", bind="query-params", required=True
)
SECTIONS[section]()
