"""The pages of a task as cards, beside a small living example."""

from collections.abc import Callable

import streamlit as st

from dashboard import contents
from dashboard.frame import layout

ACROSS = 3  # cards beside one another, on a wide window


def show(pages: tuple[contents.Page, ...], example: Callable[[], str] | None = None) -> None:
    """For each page the question, what one does there, and the way to it.

    `example` draws something small that belongs to the task, and gives a sentence about it; it stands beside them.
    """
    if example is None:
        _cards(pages, ACROSS)
        return
    drawn, offered = st.columns([1, ACROSS - 1])
    with drawn:
        st.markdown(example())
    with offered:
        _cards(pages, ACROSS - 1)


def _cards(pages: tuple[contents.Page, ...], across: int) -> None:
    for row in layout.rows_of(len(pages), across):
        for column, place in zip(st.columns(len(row)), row, strict=True):
            with column.container(border=True, height="stretch"):
                st.markdown(f"#### {pages[place].question}")
                st.markdown(pages[place].about)
                pages[place].link(pages[place].name)
