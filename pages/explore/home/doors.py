"""Three doors, side by side: for newcomers, for whoever has a text or a picture, and for teachers."""

from collections.abc import Callable

import streamlit as st

from dashboard import contents, theme
from dashboard.classroom import view
from dashboard.lessons import player
from dashboard.lessons.form import TOUR
from pages.explore.home.prose import PAGE


def show() -> None:
    """Three cards of equal size; on a phone they stand below one another."""
    new, own, teach = st.columns(3)
    with new:
        _card(":material/flag:", "I am new", _first_lesson, stations=len(player.find(TOUR).stations))
    with own:
        _card(":material/edit_note:", "I have a text or a picture", _explore)
    with teach:
        _card(":material/co_present:", "I teach", _teach)


def _card(icon: str, title: str, ways: Callable[[], None], **numbers: int) -> None:
    """A symbol, what a visitor says, the text of that name with its numbers, and the links that `ways` draws."""
    with st.container(border=True, height="stretch"):
        st.subheader(f"{icon} {title}", anchor=False)
        st.markdown(PAGE.text(title, **numbers))
        with st.container(gap="xsmall"):
            ways()


def _first_lesson() -> None:
    tour = player.find(TOUR)
    tour.stations[0].page.link("Begin the first lesson", **{player.LESSON: tour.name, player.STATION: "1"})


def _explore() -> None:
    contents.TEXT.link("Explore a text")
    contents.IMAGE.link("Explore a picture")


def _teach() -> None:
    contents.LESSONS.link(contents.LESSONS.name)
    view.open_button("open-class-home", quiet=True)
    contents.TEXT.link("Text on a projector", **{theme.PRESENT: "1"})
