"""The model and the text that Maps and Swapped in look at: chosen, written or opened, and read."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import zoo
from dashboard import theme, typeset
from dashboard.cache import waiting
from dashboard.cache.models import long_text_model
from dashboard.inputs import controls, example_texts, model_name
from dashboard.recordings.watched import Text
from pages.scale.efficient_attention import compute
from pages.scale.efficient_attention.compute import FIRST, READING, WRITING, Reading
from pages.scale.efficient_attention.prose import PAGE

OWN, WRITTEN = "Your own", "Written by the model"
LENGTHS = (64, 128, 256, 512, 1024, 2048)
FEWEST = 1024  # tokens that are read at most, where one may choose: a second
USUAL = 4096  # tokens that are read unless somebody asks for more: 16,384 take a minute on two cores


def choose(main: DeltaGenerator, settings: DeltaGenerator) -> Reading:
    """The controls, and what the model made of what was chosen; stops in a sentence where the text cannot be used.

    `main`: the row of the control bar, `settings`: the menu at its end. A text of one's own stands below the bar.
    """
    with st.container():  # another kind of text has other controls: what follows stays in its place all the same
        return _choose(main, settings)


def _choose(main: DeltaGenerator, settings: DeltaGenerator) -> Reading:
    first = compute.first_model()
    name = model_name.model("text", offered=[first, *(name for name in zoo.TEXT if name != first)], menu=settings)
    longest = compute.longest(name)
    sources, about = ([WRITTEN, OWN], "Text to read") if longest else ([OWN], "Models that cannot write")
    with main:
        source = controls.menu("Text", sources, key="source", width=190, help=PAGE.text(about))
    with settings:
        of_text = st.container()
    with of_text:
        length = _length(longest) if source == WRITTEN else 0
    context = long_text_model(name).context
    text: Text
    if source == WRITTEN:
        alternative = _fewer("write", "written", min(FIRST, length)) if length > FIRST else None
        with waiting.spinner(WRITING, unit="tokens", alternative=alternative) as progress:
            text = compute.written(name, length, progress)
        most, alternative = context, None
    else:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            text = controls.text()
            controls.examples(example_texts.examples("next-word"))
        with of_text:
            most = _most(context)
        alternative = _fewer("read", "most", FEWEST) if context > USUAL and most > FEWEST else None
    with waiting.spinner(READING, unit="layers", alternative=alternative) as progress:
        reading = compute.read(name, text, most, progress)
    typeset.show_cut_notice(reading.tokens)
    return reading


def show_written(read: Reading) -> None:
    """The text, if the model wrote it: below the figures, to be opened."""
    if st.session_state.get("source") == WRITTEN and not theme.is_presented():
        with st.expander("What the model wrote"):
            st.text(str(read.text).strip())


def _fewer(verb: str, key: str, tokens: int) -> tuple[str, Callable[[], None]]:
    """What to do rather than wait: the same with fewer tokens."""

    def give_up() -> None:
        st.session_state[key] = tokens

    return f"Cancel, and {verb} {tokens:,} tokens", give_up


def _length(longest: int) -> int:
    """How many tokens the model writes, up to the longest that it can."""
    options = [length for length in LENGTHS if length < longest] + [longest]
    if st.session_state.get("written") not in (None, *options):
        st.session_state.written = longest
    first = FIRST if FIRST in options else longest
    return st.select_slider("Tokens", options, value=first, key="written", bind="query-params", width=220)


def _most(context: int) -> int:
    """How many tokens are read at most, where the model holds more than is read in a few seconds."""
    if context <= USUAL:
        return context
    return st.select_slider(
        "Tokens that are read at most",
        [FEWEST, USUAL, context],
        value=USUAL,
        key="most",
        bind="query-params",
        format_func=lambda tokens: f"{tokens:,}",
        width=260,
        help=PAGE.text("Tokens to read"),
    )
