"""What the visitor gives: an English sentence, and how many hypotheses the beam holds."""

import streamlit as st

from core.text import read_text
from pages.language.translation import words as said

LONGEST = 5000  # characters: far more than the models read at once
BEAM = 5


def sentence() -> str:
    """The visitor's English sentence, as `read_text` leaves it."""
    raw = st.text_area(
        "Your English sentence",
        said.SENTENCE,
        key="text",
        bind="query-params",
        height=70,
        max_chars=LONGEST,
        placeholder="Type a sentence in English",
    )
    return read_text(raw)


def classic() -> None:
    """A button that takes the sentence of the paper that invented attention."""
    st.button(
        said.CLASSIC_BUTTON,
        key="classic",
        type="tertiary",
        icon=":material/format_quote:",
        on_click=_take_classic,
        help=said.CLASSIC_HELP,
        disabled=st.session_state.get("text") == said.CLASSIC,
    )


def _take_classic() -> None:
    st.session_state.text = said.CLASSIC


def beam() -> int:
    """How many hypotheses the beam search keeps; 1 is greedy."""
    return st.segmented_control(
        "Beam",
        [1, 2, 3, 5, 8],
        default=BEAM,
        key="beam",
        bind="query-params",
        required=True,
        help="How many unfinished translations are kept at each step. 1 is greedy: always the most probable next word.",
    )
