"""What several sections ask the visitor for: a sentence, the width of the beam, which map, between words or pieces."""

from collections.abc import Sequence

import streamlit as st

from core.text import read_text
from core.translation.aligned import Part
from core.translation.alignment import Direction
from pages.language.translation import words

LONGEST = 5000  # characters: far more than the models read at once
BEAM = 5
CROSS = "Target to source"
PARTS: dict[str, Part] = {CROSS: "cross", "Encoder": "encoder", "Decoder": "decoder"}
WORDS, PIECES = "Words", "Pieces"
DIRECTIONS: dict[str, Direction] = {
    "each French word": "target",
    "each English word": "source",
    "both agree": "both",
    "either": "either",
}


def sentence() -> str:
    """The visitor's English sentence, as `read_text` leaves it."""
    raw = st.text_area(
        "Your English sentence",
        words.SENTENCE,
        key="text",
        bind="query-params",
        height=70,
        max_chars=LONGEST,
        placeholder="Type a sentence in English",
    )
    return read_text(raw)


def classic() -> None:
    """A button that takes the sentence of the paper that invented attention."""

    def take() -> None:
        st.session_state.text = words.CLASSIC

    st.button(
        words.CLASSIC_BUTTON,
        key="classic",
        type="tertiary",
        icon=":material/format_quote:",
        on_click=take,
        help=words.CLASSIC_HELP,
        disabled=st.session_state.get("text") == words.CLASSIC,
    )


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


def part(key: str, there: Sequence[str] = tuple(PARTS), help: str | None = None) -> Part:  # noqa: A002
    """Which attention is shown, of those that are `there` (keys of PARTS)."""
    return PARTS[
        st.segmented_control(
            "Attention", list(there), default=there[0], key=key, bind="query-params", required=True, help=help
        )
    ]


def between_words(key: str) -> bool:
    """Whether rows and columns are words, and not pieces."""
    units = st.segmented_control(
        "Rows and columns",
        [WORDS, PIECES],
        default=WORDS,
        key=key,
        bind="query-params",
        required=True,
        help=words.UNITS_HELP,
    )
    return units == WORDS
