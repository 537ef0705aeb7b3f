"""Tokens: how a word is merged from its bytes, what that costs in other scripts, and what surprises the model."""

import streamlit as st

from dashboard.frame import layout
from pages.language.next_word import merges, scripts, surprise
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Tokens")
KEY, WIDTH = "tokens_look", 240  # pixels
VIEWS = {  # by their names in the address
    "A word, merge by merge": merges.show,
    "One sentence, many scripts": scripts.show,
    "Surprise": surprise.show,
}


def show() -> None:
    """One of three, each with its own controls."""
    if st.session_state.get(KEY) not in (*VIEWS, None):
        st.session_state[KEY] = next(iter(VIEWS))
    with (bar := layout.control_bar()):
        view = st.selectbox("Look at", list(VIEWS), key=KEY, bind="query-params", width=WIDTH)
    VIEWS[view](bar)
