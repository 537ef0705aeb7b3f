"""The head of a page: its question, the button for the projector's view, and the lead below the title."""

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from dashboard import contents, glossary, theme, typeset
from dashboard.classroom import view
from dashboard.frame import carried, layout, navigation
from dashboard.frame.prose import PageProse

# A file of our own: Streamlit's built-in symbols would be fetched from the internet.
ICON = str(contents.ROOT / "dashboard" / "icon.png")
LOGO = (contents.ROOT / "dashboard" / "logo.svg").read_text(encoding="utf-8")


def show_logo() -> None:
    """Show the atlas's logo, in the colours of the visitor's theme."""
    st.logo(LOGO.replace("INK", theme.look().palette.ink).replace("MAP", theme.look().palette.map), size="large")


_below_title = ContextVar[Callable[[], None] | None]("below_title", default=None)  # in this run of a page


@contextmanager
def below_title(show: Callable[[], None] | None):
    """While a page runs in this block, call `show` below its title, in place of the lead."""
    before = _below_title.set(show)
    try:
        yield
    finally:
        _below_title.reset(before)


def head(prose: PageProse) -> None:
    """Draw the title and the question, the button for the projector's view or its bar, and the lead."""
    layout.begin_page()
    title_bar(contents.page_asking(prose.question), turns_pages=_below_title.get() is None)
    # A container even when presented: controls that move on the page would lose their part of the address.
    with st.container():
        if show := _below_title.get():
            show()
        elif prose.lead and not theme.is_presented():
            st.markdown(glossary.linked(prose.lead))
    with st.container(gap=None):
        _show_refusals()


def title_bar(page: contents.Page, *, turns_pages: bool) -> None:
    """Draw the title of a page with the button for the projector's view, or the projector's bar, beside it.

    `turns_pages`: whether that bar leads to the pages before and after; those of a lesson are its stations.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        title(page)
        if theme.is_presented():
            navigation.bar(page, turns_pages=turns_pages)
        else:
            with st.container(horizontal=True, gap="small", width="content"):  # below a short title on a phone, both
                navigation.present_button()
                view.offer()


def title(page: contents.Page) -> None:
    """Draw the name of a page and, beside it, its question; of the first page the question alone."""
    if page is contents.HOME:
        st.title(page.question, anchor=False)
        return
    if theme.is_presented():
        st.title(page.name, anchor=False, width="content")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.title(page.name, anchor=False, width="content")
        st.markdown(f":gray[{page.question}]", width="content")


def _show_refusals() -> None:
    """Show which carried values the page could not use, and what it shows instead."""
    for key, refusal in carried.refusals().items():
        line = typeset.plain(carried.line_of(key, refusal))
        if refusal.from_address:
            st.warning(line, icon=":material/info:")
        else:
            st.caption(line)
