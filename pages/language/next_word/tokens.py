"""Tokens: how a word is merged from its bytes, what that costs in other scripts, and what surprises the model."""

import streamlit as st

from dashboard.frame import layout
from pages.language.next_word import merges, scripts, surprise, words

KEY, WIDTH = "tokens_look", 240  # pixels
LOOKS = {words.MERGES: merges.show, words.SCRIPTS: scripts.show, words.SURPRISE: surprise.show}


def show() -> None:
    """One of three, each with its own controls."""
    if st.session_state.get(KEY) not in (*LOOKS, None):
        st.session_state[KEY] = words.MERGES
    with (bar := layout.control_bar()):
        look = st.selectbox("Look at", list(LOOKS), key=KEY, bind="query-params", width=WIDTH)
    LOOKS[look](bar)
