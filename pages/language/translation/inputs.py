"""What several sections ask the visitor for: a sentence, the width of the beam, which map, between words or pieces."""

from collections.abc import Sequence

import streamlit as st

from core.text import read_text
from core.translation.translator_maps import Part
from dashboard.frame import carried
from dashboard.inputs import controls, example_texts
from pages.language.translation.prose import PAGE

SENTENCE = example_texts.opening("translation")
CLASSIC = "The agreement on the European Economic Area was signed in August 1992."
LONGEST = 5000  # characters: far more than the models read at once
BEAM = 5
PARTS: dict[str, Part] = {"Target to source": "cross", "Encoder": "encoder", "Decoder": "decoder"}
WORDS, PIECES = "Words", "Pieces"


def sentence() -> str:
    """The visitor's English sentence, as `read_text` leaves it, and the menu of examples; for a control bar."""
    raw = st.text_area(
        "Your English sentence",
        SENTENCE,
        key="text",
        bind="query-params",
        height=70,
        max_chars=LONGEST,
        placeholder="Type a sentence in English",
    )
    carried.note("text", raw, SENTENCE)
    controls.examples(example_texts.examples("translation"))
    return read_text(raw)


def classic() -> None:
    """A button that takes the sentence of the paper that invented attention."""
    st.button(
        "The classic sentence",
        key="classic",
        type="tertiary",
        icon=":material/format_quote:",
        on_click=lambda: st.session_state.update(text=CLASSIC),
        help=PAGE.text("Classic sentence"),
        disabled=st.session_state.get("text") == CLASSIC,
    )


def beam() -> int:
    """How many hypotheses the beam search keeps; 1 is greedy."""
    return controls.choice("Beam", (1, 2, 3, 5, 8), key="beam", first=BEAM, about=PAGE.text("Beam"))


def part(key: str, available: Sequence[str] = tuple(PARTS), about: str = "") -> Part:
    """Which attention is shown, of those that are `available` (keys of PARTS)."""
    return PARTS[controls.choice("Attention", available, key=key, about=about)]


def between_words(key: str) -> bool:
    """Whether rows and columns are words, and not pieces."""
    return controls.choice("Rows and columns", (WORDS, PIECES), key=key, about=PAGE.text("Words and pieces")) == WORDS
