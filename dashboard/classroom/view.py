"""The parts of pages that belong to a class: a popover to open or join one, the bar, a question's answers.

Browser and server agree over a websocket who leads and who follows (websocket.py); here only the class's code is
known, which stays with the visit from page to page.
"""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from dashboard.classroom.classes import CODE
from dashboard.classroom.classroom import MOST_FOLLOWERS
from dashboard.components.class_answers import class_answers
from dashboard.components.class_link import class_link

WIDTH = 420  # pixels of the prose in the popover
CLASS = "class"  # in the address and in the session: the code; "" while a class is being opened


def bar() -> None:
    """Draw, above every page, the bar of the class that this visit leads or follows, if there is one."""
    if (code := st.query_params.get(CLASS)) and code != st.session_state.get(CLASS):
        st.session_state[CLASS] = code.strip().upper()[: 2 * CODE]
    if (code := _code()) is not None:
        class_link(code, key="class-link", on_code=_on_opened, on_left=_on_left)


def offer() -> None:
    """Draw the popover to open a class, or to join one by its code; nothing for visitors who are in one."""
    if _code() is not None:
        return
    popover = st.popover("Class", key="class-offer", icon=":material/groups:", type="tertiary", on_change="rerun")
    if not popover.open:  # every page offers it, and hardly anybody asks: what is inside is made when it is opened
        return
    with popover:
        st.markdown(
            "**You teach?** Open a class: the pages of those who follow go where yours goes, until they choose to look "
            f"around by themselves. You see how many follow, up to {MOST_FOLLOWERS}, can remove one, and can lock the "
            "class so that nobody else joins. Nobody is asked for a name, and after a day the class is forgotten.",
            width=WIDTH,
        )
        open_button("open-class")
        st.text_input("**You follow?** Type the code of your class", key="class-code", max_chars=12, on_change=_follow)


def open_button(key: str, *, quiet: bool = False) -> None:
    """Draw the button that opens a class, which this visit leads; nothing for visitors who are in one.

    `quiet`: without a border, to stand among links.
    """
    if _code() is None:
        kind: Literal["tertiary", "secondary"] = "tertiary" if quiet else "secondary"
        st.button("Open a class", key=key, icon=":material/groups:", on_click=_open, type=kind)


def answered(question: str, choice: str | None) -> None:
    """Count this visitor's choice among the answers of the class that they follow, without a name.

    Call it where the question stands, on every run of the page, with None while nothing is chosen; a later choice
    replaces an earlier one. It does nothing for whoever follows no class, or leads one. `question` names the question
    among all of the atlas (`inside-one-head/3`), `choice` is the answer as the teacher reads it; each has at most 200
    characters.
    """
    if choice is not None and _code():
        class_answers(question, key=f"class-answer-{question}", choice=choice)


def answers_bars(question: str, choices: Sequence[str] = ()) -> None:
    """Draw the counts of `choices` in the class as bars that move with each answer.

    Without `choices`, for instance if a number is asked for, each answer has a bar.

    Only the teacher of a class sees them; for everybody else nothing is shown. `question` and `choices` are those given
    to `answered`; an answer that is none of `choices` is not drawn.
    """
    if _code():
        class_answers(question, key=f"class-bars-{question}", bars=True, choices=choices)


def _code() -> str | None:
    return st.session_state.get(CLASS)


def _open() -> None:
    st.session_state[CLASS] = ""


def _follow() -> None:
    if code := st.session_state["class-code"].strip().upper():
        st.session_state[CLASS] = code


def _on_opened(code: str) -> None:
    st.session_state[CLASS] = code


def _on_left() -> None:
    st.session_state.pop(CLASS, None)
    st.query_params.pop(CLASS, None)
