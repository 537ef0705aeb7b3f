"""The head of a page: its question, the way to the projector's view, and what stands below the title."""

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from dashboard import contents, glossary, theme, typeset
from dashboard.classroom import view
from dashboard.frame import carried, layout, navigation

# A file of our own: Streamlit's built-in symbols would be fetched from the internet.
ICON = str(contents.ROOT / "dashboard" / "icon.png")
LOGO = (contents.ROOT / "dashboard" / "logo.svg").read_text(encoding="utf-8")


def show_logo() -> None:
    """The atlas's own sign, in the colours of the visitor's theme."""
    st.logo(LOGO.replace("INK", theme.look().palette.ink).replace("MAP", theme.look().palette.map), size="large")


_below_title = ContextVar[Callable[[], None] | None]("below_title", default=None)  # in this run of a page


@contextmanager
def below_title(show: Callable[[], None] | None):
    """While a page runs, `show` what stands below its title."""
    before = _below_title.set(show)
    try:
        yield
    finally:
        _below_title.reset(before)


def head(words: layout.PageWords) -> None:
    """The question as the title, the way to the projector's view or the ways on and out of it, and one paragraph."""
    layout.begin_page()
    with st.container(horizontal=True, gap="small"):
        st.title(words.question, anchor=False)
        if theme.is_presented():
            navigation.bar(contents.asking(words.question), turns_pages=_below_title.get() is None)
        else:
            with st.container(horizontal=True, gap="small", width="content"):  # below a short title on a phone, both
                navigation.offer_to_present()
                view.offer()
    # A place even when presented: what moves on the page would lose its part of the address.
    with st.container():
        if show := _below_title.get():
            show()
        elif not theme.is_presented():
            st.markdown(glossary.linked(words.lead), width=theme.PROSE)
    with st.container(gap=None):
        _say_what_was_refused()


def _say_what_was_refused() -> None:
    """What the page shows instead of what it was opened with and cannot use."""
    for key, refusal in carried.refusals().items():
        line = typeset.plain(carried.line_of(key, refusal))
        if refusal.asked:
            st.warning(line, icon=":material/info:")
        else:
            st.caption(line)
