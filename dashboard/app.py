"""The frame: the window, the table of contents, and the page or the station of a lesson that the address names."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard import contents, theme
from dashboard.classroom import view
from dashboard.components.larger import larger
from dashboard.components.term_popover import explain_terms
from dashboard.frame import carried, error_messages, navigation, page_head
from dashboard.lessons import player

TITLE = "Attention Atlas"  # of the window
SIDEBAR = 230  # pixels: the longest name of a page


def frame() -> None:
    """Show the page that the address names, inside the table of contents; of a lesson, its question first."""
    presenting = theme.is_presented()
    st.set_page_config(  # before the table of contents is there, which would be drawn in the usual width
        page_title=TITLE,
        page_icon=page_head.ICON,
        layout="wide",
        initial_sidebar_state="collapsed" if presenting else SIDEBAR,
    )
    if not presenting:
        page_head.show_logo()
    page = st.navigation(contents.navigation(), position="hidden" if presenting else "sidebar", expanded=True)
    named = contents.at(page.url_path)
    if named is not contents.HOME:
        st.set_page_config(page_title=f"{named.name} · {TITLE}")
    larger()
    with st.container():  # a place even without a class: what moves on the page would lose its part of the address
        view.bar()
    shown = show(page.run, page.url_path)
    if shown and not presenting:
        navigation.end(named)
    explain_terms()


def show(run: Callable[[], object], address: str = "") -> bool:
    """Run a page, with the bar of a lesson where one is played; False where the station's question comes first.

    `address` is the page's own, by which a page that has just been opened is known.
    """
    with error_messages.sentences():
        at = player.playing()
        station = (at.lesson.name, at.number) if at else None
        if at is not None and at.answer is None:
            carried.arrive(None, station)
            player.question(at)
            return False
        carried.arrive(address, station)
        with page_head.below_title(partial(player.below_title, at) if at else None), carried.replaced_where_unusable():
            run()
    return True
