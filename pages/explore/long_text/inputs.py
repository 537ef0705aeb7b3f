"""The text and the model of the page, and their reading."""

import streamlit as st

from core import zoo
from core.errors import InputError
from core.text import read_text
from dashboard.cache.models import LONGEST_BOOK, book_model
from dashboard.cache.upload import Upload
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.long_text import readings
from dashboard.long_text.books import BOOKS, book_text
from dashboard.long_text.open_reading import OpenReading
from pages.explore.long_text.prose import PAGE

FIRST_MODEL = "gpt-books-long"
OWN = "Your own"
MEGABYTES = 2  # of a text of one's own
LENGTHS = (1024, 2048, 4096, 16_384, 65_536, LONGEST_BOOK)  # tokens
FIRST_LENGTH = 4096  # tokens: a few seconds
CHECKED = 2  # seconds from one look whether a reading has ended to the next
FEWEST = 2  # tokens of a text with a link


def choose() -> OpenReading:
    """The controls, and the reading of what they choose; it may have only begun."""
    with layout.control_bar():
        source = controls.menu("Text", [*BOOKS, OWN], key="book", width=190)
        length = st.container()
        stop = st.container()
        with layout.settings():
            name = model_name.model("text", offered=[FIRST_MODEL, *(name for name in zoo.TEXT if name != FIRST_MODEL)])
    text: str | Upload
    if source == OWN:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            text = controls.text(megabytes=MEGABYTES)
        content = read_text(text.content if isinstance(text, Upload) else text, largest=MEGABYTES * 10**6)
    else:
        text = content = book_text(source)
    context = book_model(name).context
    with length:
        count = _length(context)
    identity = text.identity if isinstance(text, Upload) else None
    with layout.waiting_place():
        reading = readings.open_reading(name, content, count, identity)
    if len(reading.tokens) < FEWEST:
        raise InputError(
            f"This text has {len(reading.tokens)} token; a map needs at least {FEWEST}. Write some words more."
        )
    with stop:
        if not reading.finished:
            _cancel(reading)
        elif reading.is_cancelled:
            st.button("Read again", on_click=readings.read_again, args=(reading,))
    return reading


@st.fragment(run_every=CHECKED)
def _cancel(reading: OpenReading) -> None:
    """The button that stops a reading; when it has ended, the page runs again without the button."""
    if reading.finished:
        st.rerun()
    st.button("Cancel", on_click=readings.cancel, args=(reading,))


def _length(context: int) -> int:
    """How many tokens are read at most."""
    options = [length for length in LENGTHS if length < context] + [min(context, LONGEST_BOOK)]
    if st.session_state.get("tokens") not in (None, *options):
        st.session_state.tokens = options[-1]
    if len(options) == 1:
        return options[0]
    return st.select_slider(
        "Tokens",
        options,
        value=min(FIRST_LENGTH, options[-1]),
        key="tokens",
        bind="query-params",
        width=220,
        help=PAGE.text("Length"),
    )
