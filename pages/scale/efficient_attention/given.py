"""The model and the text that both sections look at."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core import zoo
from dashboard import controls, layout, waiting
from dashboard.kept import Upload
from pages.scale.efficient_attention import compute as kept
from pages.scale.efficient_attention import words_maps as said

OWN, WRITTEN = "Your own", "Written by the model"
LENGTHS = (64, 128, 256, 512, 1024, 2048)
FEWEST = 1024  # tokens that are read at most, where one may choose: a second


@dataclass(frozen=True)
class Given:
    """What was chosen, and what the model made of it."""

    own: kept.Own
    reading: kept.Reading


def given() -> Given:
    """The controls; stops in a sentence where the text cannot be used."""
    with st.container():  # another kind of text has other controls: what follows stays in its place all the same
        return _given()


def _given() -> Given:
    with layout.control_bar():
        name = controls.model("text", offered=_offered())
        can_write = kept.can_write(name)
        source = st.segmented_control(
            "Text",
            [WRITTEN, OWN] if can_write else [OWN],
            default=WRITTEN if can_write else OWN,
            key="source",
            bind="query-params",
            required=True,
            help=said.OWN_TEXT_HELP if can_write else said.NO_SAMPLE,
        )
        length = _length(name) if source == WRITTEN else 0
    text = controls.text() if source == OWN else None
    most = _most(name) if source == OWN else kept.LONGEST
    own, reading = _read(name, length, text, most)
    if text is None:
        _show_text(str(own[1]))
    layout.say_what_was_cut(reading.tokens)
    return Given(own, reading)


def _read(name: str, length: int, text: str | Upload | None, most: int) -> tuple[kept.Own, kept.Reading]:
    """Let the model write where there is no text, and read; both say how far they are, and may be given up."""
    may_choose = text is not None and _holds_more(name)
    if text is None:
        first = min(kept.FIRST, length)
        instead = _instead("write", "written", first) if length > first else None
        with waiting.patiently(said.WRITING, unit="tokens", instead=instead) as progress:
            text = kept.written(name, length, progress)
    own = (name, text, most)
    instead = _instead("read", "most", FEWEST) if may_choose and most > FEWEST else None
    with waiting.patiently(said.READING, unit="layers", instead=instead) as progress:
        return own, kept.read(*own, progress)


def _instead(verb: str, key: str, tokens: int) -> tuple[str, Callable[[], None]]:
    """What to do rather than wait: the same with fewer tokens."""

    def give_up() -> None:
        st.session_state[key] = tokens

    return f"Cancel, and {verb} {tokens:,} tokens", give_up


def _offered() -> list[str]:
    first = kept.first_model()
    return [first, *(name for name in zoo.TEXT if name != first)]


def _length(name: str) -> int:
    longest = kept.longest(name)
    options = [length for length in LENGTHS if length < longest] + [longest]
    if st.session_state.get("written") not in (None, *options):
        st.session_state.written = longest
    first = min(kept.FIRST, longest)
    return st.select_slider(
        "Tokens", options, value=first if first in options else longest, key="written", bind="query-params", width=220
    )


def _holds_more(name: str) -> bool:
    """Whether the model could read more than one waits for without being asked."""
    return kept.long_model(name).context > kept.USUAL


def _most(name: str) -> int:
    """How many tokens are read at most, where the model holds more than is read in a few seconds."""
    context = kept.long_model(name).context
    if not _holds_more(name):
        return context
    return st.select_slider(
        "Tokens that are read at most",
        [FEWEST, kept.USUAL, context],
        value=kept.USUAL,
        key="most",
        bind="query-params",
        format_func=lambda tokens: f"{tokens:,}",
        width=260,
        help=said.MOST_HELP,
    )


def _show_text(text: str) -> None:
    if layout.is_presented():
        return
    with st.expander("What the model wrote"):
        st.text(text.strip())
