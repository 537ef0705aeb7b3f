"""The frame: the window, the table of contents, and the page or the lesson's station in the address."""

from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard import contents, theme
from dashboard.classroom import view
from dashboard.components.larger import larger
from dashboard.components.projector import projector
from dashboard.components.term_popover import explain_terms
from dashboard.frame import carried, error_messages, navigation, page_head
from dashboard.lessons import player

TITLE = "Attention Atlas"  # of the window
SIDEBAR = 244  # pixels: the longest name of a page
UNFOLDED = "contents-unfolded"  # in the session: the table of contents has unfolded by itself


def frame() -> None:
    """Show the page in the address, inside the table of contents; in a lesson, its question first."""
    presenting = theme.is_presented()
    st.set_page_config(  # before the table of contents, which would be drawn in the default width
        page_title=TITLE,
        page_icon=page_head.ICON,
        layout="wide",
        initial_sidebar_state="collapsed" if presenting else SIDEBAR,
    )
    if not presenting:
        page_head.show_logo()
    page = st.navigation(contents.navigation(), position="hidden") if presenting else show_contents()
    contents_page = contents.page_at(page.url_path)
    if contents_page is not contents.HOME:
        st.set_page_config(page_title=f"{contents_page.name} · {TITLE}")
    larger(presenting=presenting)
    with st.container():  # a container even without a class: controls that move would lose their part of the address
        view.bar()
        if presenting:
            projector()
    is_page_shown = show(page.run, page.url_path)
    if is_page_shown and not presenting:
        navigation.end(contents_page)
    explain_terms()


def show_contents() -> StreamlitPage:
    """Draw the table of contents in the sidebar, folded to the core path, and return the page in the address.

    It unfolds by itself once a visit, at the first page beyond that path; Streamlit knows the page only afterwards. It
    can be folded where there is something below it: a line that says what the other pages are about.
    """
    page = st.navigation(contents.navigation(), expanded=len(contents.CORE))
    if contents.page_at(page.url_path) not in contents.CORE and UNFOLDED not in st.session_state:
        st.session_state[UNFOLDED] = True
        page = st.navigation(contents.navigation(), expanded=True)
    st.sidebar.caption(f"Go deeper: {', '.join(group.lower() for group in contents.DEEPER)}")
    return page


def show(run: Callable[[], object], address: str = "") -> bool:
    """Run a page, with the bar of a lesson if there is one; False if the station's question is shown instead.

    `address` is that of the page, which tells whether it has just been opened.
    """
    with error_messages.as_sentences():
        position = player.position_in_lesson()
        station = (position.lesson.name, position.number) if position else None
        if position is not None and position.answer is None:
            carried.arrive(None, station)
            player.show_question(position)
            return False
        carried.arrive(address, station)
        with (
            page_head.below_title(partial(player.below_title, position) if position else None),
            carried.replaced_where_unusable(),
        ):
            run()
    return True
