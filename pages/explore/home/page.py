"""What this is, one living example, a first path, and where to go."""

import streamlit as st

from dashboard import contents, theme
from dashboard.frame import page_head
from dashboard.inputs import controls
from dashboard.lessons import player
from dashboard.lessons.form import TOUR
from pages.explore.home import cards, examples, words


def show_path() -> None:
    """The stations of the first lesson, numbered, and the way to all lessons."""
    tour = player.find(TOUR)
    with st.container(border=True):
        st.subheader(words.PATH, anchor=False)
        st.markdown(words.PATH_ABOUT.format(count=len(tour.stations)), width=theme.PROSE)
        with st.container(horizontal=True):
            for number in range(len(tour.stations)):
                player.station_link(tour, number)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{contents.LESSONS.question}** {contents.LESSONS.about}", width="content")
            contents.LESSONS.link(contents.LESSONS.name)


page_head.head(words.HOME)
examples.LARGE[controls.choice("Example", examples.LARGE, key="example", label_visibility="collapsed")]()
show_path()
for group, pages in list(contents.GROUPS.items())[1:]:
    cards.show(group, pages, examples.EXAMPLES.get(group))
