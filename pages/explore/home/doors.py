"""Three doors, side by side: for newcomers, for whoever has a text or a picture, and for teachers."""

from collections.abc import Callable

import streamlit as st

from dashboard import contents, theme
from dashboard.classroom import view
from dashboard.lessons import player
from dashboard.lessons.form import TOUR
from pages.explore.home import words
from pages.explore.home.words import Door


def show() -> None:
    """Three cards of equal size; on a phone they stand below one another."""
    doors = (
        (words.NEW.counting(len(player.find(TOUR).stations)), _first_lesson),
        (words.OWN_INPUT, _explore),
        (words.TEACH, _teach),
    )
    for column, (door, ways) in zip(st.columns(len(doors)), doors, strict=True):
        with column:
            _card(door, ways)


def _card(door: Door, ways: Callable[[], None]) -> None:
    with st.container(border=True, height="stretch"):
        st.subheader(f"{door.icon} {door.title}", anchor=False)
        st.markdown(door.about)
        with st.container(gap="xsmall"):
            ways()


def _first_lesson() -> None:
    tour = player.find(TOUR)
    tour.stations[0].page.link(words.BEGIN, **{player.LESSON: tour.name, player.STATION: "1"})


def _explore() -> None:
    contents.TEXT.link(words.OWN_TEXT)
    contents.IMAGE.link(words.OWN_PICTURE)


def _teach() -> None:
    contents.LESSONS.link(contents.LESSONS.name)
    view.open_button("open-class-home", quiet=True)
    contents.TEXT.link(words.PROJECTOR, **{theme.PRESENT: "1"})
