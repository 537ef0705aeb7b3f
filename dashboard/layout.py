"""What every page shares: the frame, the head, the notes below a figure, and the projector's view."""

import logging
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import streamlit as st

from core.errors import AtlasError
from core.text import Tokens
from dashboard import contents
from dashboard.theme import PALETTES, Look

CARDS = 3  # beside one another, on a wide window
PROSE = 640  # pixels: about 70 characters of the text's size
SIDEBAR = 230  # pixels: the longest name of a page
# A file of our own: Streamlit's built-in symbols would be fetched from the internet.
ICON = str(contents.ROOT / "dashboard" / "icon.png")
LOGO = (contents.ROOT / "dashboard" / "logo.svg").read_text(encoding="utf-8")


@dataclass(frozen=True)
class PageWords:
    """What a page says besides its figures; everything here is Markdown written by us, never by a visitor."""

    question: str
    lead: str
    try_this: tuple[str, ...]
    references: tuple[str, ...]


def frame() -> None:
    """Set the window's title and show the page that the address names, inside the table of contents."""
    presenting = is_presented()
    st.set_page_config(
        page_title="Attention Atlas",
        page_icon=ICON,
        layout="wide",
        initial_sidebar_state="collapsed" if presenting else SIDEBAR,
    )
    if not presenting:
        st.logo(LOGO.replace("INK", look().palette.ink).replace("MAP", look().palette.map), size="large")
    page = st.navigation(contents.navigation(), position="hidden" if presenting else "sidebar", expanded=True)
    with sentences():
        page.run()


def is_presented() -> bool:
    """Whether the address asks for the projector's view (`?present=1`): no chrome, larger, high contrast."""
    return st.query_params.get("present") == "1"


@contextmanager
def sentences():
    """Show what a visitor asked for and cannot have as one sentence. The only place that catches it.

    Programming errors pass through: they are logged, and Streamlit shows the visitor no traceback. But no page has to
    find figures for what `warn_of` has warned of, such as a model whose numbers are none.
    """
    _warned.set(False)
    try:
        yield
    except AtlasError as error:
        st.warning(plain(str(error)), icon=":material/info:")
    except Exception:
        if not _warned.get():
            raise
        logging.getLogger(__name__).info("A model that was warned of could not be shown.", exc_info=True)
        st.warning("This cannot be drawn for such a model. Choose another model or section.", icon=":material/info:")


_warned = ContextVar("warned", default=False)  # in this run of a page


def warn_of(warnings: Iterable[str]) -> None:
    """What whoever opens a model should know first, in sentences, such as that some weights are no numbers."""
    for sentence in warnings:
        _warned.set(True)
        st.warning(plain(sentence), icon=":material/warning:")


def head(words: PageWords) -> None:
    """The question as the title, and one short paragraph."""
    st.title(words.question, anchor=False)
    if not is_presented():
        st.markdown(words.lead, width=PROSE)


def control_bar():
    """A row for the controls above a figure; on a narrow window they stand below one another."""
    return st.container(horizontal=True, vertical_alignment="bottom")


def waiting_place():
    """Where a spinner may stand while something is computed.

    Without a place of its own it would move all that follows by one, and the browser would build it anew.
    """
    return st.container(gap=None)


def say_what_was_cut(tokens: Tokens) -> None:
    """Where the text ends for the model, if its context holds no more."""
    if cut := tokens.cut:
        own = (label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special)
        last = plain("".join(own).strip()[-40:])
        st.info(
            f"This text is longer than the model can read at once: it reads the first {cut.kept:,} of {cut.total:,} "
            f"tokens ({cut.character:,} characters), up to “… {last}”. The rest is left out.",
            icon=":material/content_cut:",
        )


def cards(group: str, pages: tuple[contents.Page, ...]) -> None:
    """A group of pages: for each the question, what one does there, and the way to it."""
    st.subheader(group, anchor=False)
    for place, page in enumerate(pages):
        if place % CARDS == 0:
            columns = st.columns(CARDS)
        with columns[place % CARDS].container(border=True, height="stretch"):
            st.markdown(f"#### {page.question}")
            st.markdown(page.about)
            page.link(page.name)


def notes(words: PageWords, *, notice: tuple[str, ...], formula: Callable[[], object]) -> None:
    """Below the figure: what to notice, what to try, how it is computed, and where to read on.

    `notice` holds sentences that were computed from what is shown; `formula` writes the formula with its numbers.
    """
    if is_presented():
        return
    st.divider()
    noticed, tried, computed = st.columns([1, 1, 1.4], gap="large")
    with noticed:
        st.subheader("What to notice", anchor=False)
        st.markdown("\n\n".join(notice))
    with tried:
        st.subheader("Try this", anchor=False)
        st.markdown("\n\n".join(words.try_this))
    with computed:
        st.subheader("How it is computed", anchor=False)
        formula()
    with st.expander("References"):
        st.markdown("\n".join(f"- {reference}" for reference in words.references), width=PROSE)


def look() -> Look:
    """How figures look to this visitor: the colours of the browser's theme, and letters for a page or a projector."""
    colours = PALETTES["dark" if st.context.theme.type == "dark" else "light"]
    presented = is_presented()
    return Look(colours, letters=20 if presented else 14, presented=presented)


def readable(label: str) -> str:
    """A token for a table or an axis: without its leading space, and what cannot be seen made visible."""
    if shown := label.strip():
        return "".join(_PICTURES.get(letter, letter if _is_visible(letter) else "·") for letter in shown)
    return "".join(_PICTURES.get(letter, "␠") for letter in label) or "∅"


def _is_visible(letter: str) -> bool:
    return letter.isprintable() or letter in _JOINERS


_JOINERS = "\u200c\u200d"  # seen in what they join: letters of Persian, people of an emoji
# Control characters have pictures of their own.
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\n": "↵", "\t": "⇥", "\x7f": "\u2421"}


def plain(text: str) -> str:
    """Text from a visitor or a model as Markdown that shows exactly these characters."""
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in text)


_MARKDOWN = set("\\`*_{}[]()<>#+-.!|~$:&=^\"'")
