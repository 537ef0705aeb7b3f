"""Plays a lesson: a bar below the title of whatever page its station is, a question first, then the page itself.

The address holds all of it: `lesson`, `station` (from 1), and `answer` once somebody has answered.
"""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.errors import InputError
from core.view.codec import whole_number
from dashboard import theme, typeset
from dashboard.cache import memo
from dashboard.cache.memo import Digest
from dashboard.classroom import view
from dashboard.frame import navigation
from dashboard.lessons.form import Lesson, Station, fill, lessons, read
from dashboard.lessons.readings import ask
from dashboard.lessons.readings.answers import Amount, Answer, Choice
from dashboard.output.data_table import data_table

LESSON, STATION, ANSWER = "lesson", "station", "answer"  # in the address
SHOWN = "–"  # in the address as the answer: somebody wanted to see it without one
CHOICE, NUMBER = "station_choice", "station_number"  # what is chosen before it is given as the answer
OWN = "station_answers"  # in the session: what this visitor answered, by question
FEW = 8  # choices that stand side by side; more are a list
TOLD = 5  # choices whose numbers stand beside the answer


@dataclass(frozen=True)
class Playing:
    """A lesson, the number of the station that one is at, from 0, and the answer that was given, if one was."""

    lesson: Lesson
    number: int
    answer: str | None

    @property
    def station(self) -> Station:
        """Where one is."""
        return self.lesson.stations[self.number]


def playing() -> Playing | None:
    """What the address says of a lesson; None where it says nothing. InputError where there is no such station."""
    if not (name := st.query_params.get(LESSON)):
        return None
    lesson, station = find(name), st.query_params.get(STATION, "1")
    number = whole_number(station, len(lesson.stations) + 1)
    if not number:
        raise InputError(
            f"“{lesson.title}” has the stations 1 to {len(lesson.stations)}; there is no station {station[:20]}."
        )
    return Playing(lesson, number - 1, st.query_params.get(ANSWER))


def find(name: str) -> Lesson:
    """A lesson that comes along, or one that somebody has opened from a file in the last hour, by its digest."""
    if name in lessons():
        return lessons()[name]
    if upload := memo.stored_upload(Digest(name)):
        return opened(upload)
    raise InputError(
        f"There is no lesson “{name[:60]}” here. One that was opened from a file is kept for an hour: open it again on "
        "the page Lessons."
    )


def opened(upload: memo.Upload) -> Lesson:
    """A visitor's own lesson; InputError with the line where it is not in the form."""
    try:
        text = upload.content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("This file is not a text in UTF-8. A lesson is a Markdown file.") from None
    return read(text, name=upload.identity)


def question(at: Playing) -> None:
    """The station before its view is shown: what to know, and a question to answer."""
    station, asked = at.station, at.station.question
    with st.container(horizontal=True, gap="small"):
        st.title(station.page.question, anchor=False)
        if theme.is_presented():
            navigation.bar(station.page, turns_pages=False)
    bar(at)
    st.header(station.title, anchor=False)
    answer = ask(asked)
    st.markdown(filled(station.before, answer), width=theme.PROSE)
    with st.container(border=True, width=theme.PROSE):
        st.markdown(f"**{filled(asked.text, answer)}**")
        guess = _guess(answer)
        view.answers_bars(name_of(at), _choices(answer))
        with st.container(horizontal=True):
            given = st.button("Answer and see", disabled=guess is None)
            shown = st.button("Just show me", type="tertiary")
    if given and guess is not None:
        _show(at, guess)
    if shown:
        _show(at, SHOWN)


def _guess(answer: Answer) -> str | None:
    if isinstance(answer, Amount):
        number = st.number_input(
            f"Your guess{f' ({answer.unit})' if answer.unit else ''}", value=None, key=NUMBER, width=220
        )
        return None if number is None else f"{number:g}"
    assert isinstance(answer, Choice)
    choices = list(answer.values)
    if len(choices) > FEW:
        return st.selectbox("Your guess", choices, index=None, key=CHOICE, width=theme.PROSE // 2)
    return st.pills("Your guess", choices, key=CHOICE)


def _show(at: Playing, answer: str) -> None:
    """Go to the station's page with all that is chosen there.

    While a question is shown no control is bound to the address, so Streamlit lets it be set as a whole.
    """
    if answer != SHOWN:
        st.session_state.setdefault(OWN, {})[name_of(at)] = answer
    address = {**at.station.choices, LESSON: at.lesson.name, STATION: str(at.number + 1), ANSWER: answer}
    if theme.is_presented():
        address[theme.PRESENT] = "1"
    st.switch_page(at.station.page.place(), query_params=address)


def below_title(at: Playing) -> None:
    """Below the title of the station's page: the bar, and what the model says to the question."""
    bar(at)
    answer, station = ask(at.station.question), at.station
    # The address may hold the answer of whoever made the link, or of the teacher whom this page follows.
    own = st.session_state.get(OWN, {}).get(name_of(at))
    given = own or at.answer or SHOWN
    with st.container(border=True):
        said, numbers = st.columns([1.4, 1], gap="large") if isinstance(answer, Choice) else (st.container(), None)
        with said:
            asked = filled(station.question.text, answer)
            st.markdown(f"**{asked}**  \n{told(answer, given, own=own is not None)}")
            st.markdown(explained(station, answer), width=theme.PROSE)
            view.answered(name_of(at), own)
            view.answers_bars(name_of(at), _choices(answer))
        if isinstance(answer, Choice) and numbers is not None:
            with numbers:
                _numbers(answer)


def filled(text: str, answer: Answer) -> str:
    """A station's text with what the reading measured, as Markdown; in its place a sentence where it names no such."""
    try:
        return fill(text, {name: typeset.plain(words) for name, words in answer.words.items()})
    except InputError as error:
        return typeset.plain(str(error))


def explained(station: Station, answer: Answer) -> str:
    """What a station says once somebody has answered: true of the answer that it was written for, so of no other."""
    if is_as_written(answer, station.question.expected):
        return filled(station.after, answer)
    return (
        f"This station was written for the answer “{typeset.plain(station.question.expected[:60])}”. The model says "
        "something else today, so what was written about it is left out."
    )


def is_as_written(answer: Answer, expected: str) -> bool:
    """Whether the answer is the one that a station was written for; of an amount, to the last digit that is told."""
    return answer.says(expected) if isinstance(answer, Choice) else answer.best == expected


def name_of(at: Playing) -> str:
    """What a class knows the station's question by."""
    return f"{at.lesson.name}/{at.number + 1}"


def _choices(answer: Answer) -> list[str]:
    """What can be answered; of an amount, none: anything may be guessed."""
    return list(answer.values) if isinstance(answer, Choice) else []


def told(answer: Answer, guess: str, *, own: bool = True) -> str:
    """Whether a guess is right, and what the model says, as Markdown; `own`: whether this visitor has guessed."""
    if isinstance(answer, Amount):
        right = f"the model says **{answer.told()}**"
    else:
        assert isinstance(answer, Choice)
        best = typeset.plain(answer.best)
        right = f"the model says **{best}** ({typeset.plain(answer.told(answer.values[answer.best]))})"
    if guess == SHOWN:
        return f"{right[0].upper()}{right[1:]}."
    given = typeset.plain(guess[:60])
    said = f"You said {given}" if own else f"The answer given was {given}"
    if answer.says(guess):
        return f":material/check_circle: {said}: {right}."
    return f":material/arrow_forward: {said}; {right}."


def _numbers(answer: Choice) -> None:
    """The numbers behind the answer, the largest first, or the least."""
    rows = sorted(answer.values.items(), key=lambda row: row[1], reverse=not answer.least)[:TOLD]
    table = pd.DataFrame({"": [name for name, _ in rows], "the model": [answer.told(value) for _, value in rows]})
    data_table(table, hide_index=True, height="content")


def bar(at: Playing) -> None:
    """Where one is in the lesson, back and on, and out of it."""
    last = len(at.lesson.stations) - 1
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="station-bar"):
        st.markdown(
            f"**{typeset.plain(at.lesson.title)}** · {at.number + 1} of {last + 1}: {typeset.plain(at.station.title)}",
            width="content",
        )
        st.button(
            "Back",
            icon=":material/chevron_left:",
            disabled=at.number == 0,
            on_click=_go,
            args=(at.number - 1,),
            key="station-back",
            shortcut="PageUp" if theme.is_presented() else None,
        )
        if at.number < last:
            st.button(
                "On",
                icon=":material/chevron_right:",
                icon_position="right",
                on_click=_go,
                args=(at.number + 1,),
                key="station-on",
                shortcut="PageDown" if theme.is_presented() else None,
            )
        st.button("Leave the lesson", on_click=_leave, type="tertiary", key="station-leave")


def _go(number: int) -> None:
    st.query_params[STATION] = str(number + 1)
    _forget_answer()


def _leave() -> None:
    for name in (LESSON, STATION, ANSWER):
        st.query_params.pop(name, None)


def _forget_answer() -> None:
    st.query_params.pop(ANSWER, None)
    for key in (CHOICE, NUMBER):
        st.session_state.pop(key, None)


def entry(lesson: Lesson, number: int) -> None:
    """A link to a station of a lesson: its number and title."""
    station, icon = lesson.stations[number], f":material/counter_{number + 1}:"
    address = {LESSON: lesson.name, STATION: str(number + 1)}
    st.page_link(station.page.place(), label=typeset.plain(station.title), icon=icon, query_params=address)
