"""The lessons that come along, and a teacher's own from a file."""

import streamlit as st

from dashboard import theme, typeset
from dashboard.frame import layout, page_head
from dashboard.inputs import uploads
from dashboard.lessons import player
from dashboard.lessons.form import FOLDER, Lesson, lessons
from pages.learn.lessons.prose import PAGE

FILE = "own_lesson"
ACROSS = 2  # lessons beside one another


def show() -> None:
    """A card for each lesson, the first path on top; below, a file of the visitor's own."""
    all_lessons = list(lessons().values())
    st.markdown(PAGE.text("Stations"))
    st.header(f"A first path, and {len(all_lessons) - 1} lessons", anchor=False)
    for row in layout.rows_of(len(all_lessons), ACROSS):
        for column, place in zip(st.columns(len(row)), row, strict=True):
            with column.container(border=True, height="stretch"):
                card(all_lessons[place])
    st.header("Your own lesson", anchor=False)
    st.markdown(PAGE.text("Your own lesson"), width=theme.PROSE)
    uploads.remove_button(FILE)
    uploads.uploader(FILE, "A lesson", type=["md", "txt"])
    if file := uploads.current(FILE):
        own = player.read_upload(file)
        with st.container(border=True):
            card(own)
    st.expander("How a lesson is written").code(shown_form(), language="markdown", wrap_lines=True)


def shown_form() -> str:
    """The beginning of the first lesson, with its first station, as it is written."""
    return "\n## ".join((FOLDER / "0-first-twenty-minutes.md").read_text(encoding="utf-8").split("\n## ")[:2])


def card(lesson: Lesson) -> None:
    """What a lesson is about, its stations, and the way in."""
    st.subheader(typeset.plain(lesson.title), anchor=False)
    st.markdown(lesson.about)
    for number in range(len(lesson.stations)):
        player.station_link(lesson, number)


page_head.head(PAGE)
show()
