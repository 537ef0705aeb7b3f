"""Plays a lesson: for each station a question with its figure covered, then the figure filled in, and the page below.

The address holds the state: `lesson`, `station` (from 1), and `answer` after a guess.
"""

from dataclasses import dataclass

import streamlit as st

from core.errors import InputError
from core.view.codec import whole_number
from dashboard import theme, typeset
from dashboard.cache import memo
from dashboard.cache.upload import Digest, Upload
from dashboard.classroom import view
from dashboard.frame import page_head
from dashboard.lessons import station_figure
from dashboard.lessons.form import Lesson, Station, fill, lessons, read
from dashboard.lessons.readings import ask
from dashboard.lessons.readings.answers import Amount, Answer, Choice

LESSON, STATION, ANSWER = "lesson", "station", "answer"  # in the address
NO_GUESS = "–"  # in the address as the answer: somebody wanted to see it without one
CHOICE, NUMBER = "station_choice", "station_number"  # what is chosen before it is given as the answer
OWN_ANSWERS = "station_answers"  # in the session: what this visitor answered, by question
MOST_PILLS = 8  # choices that stand side by side; more are a list
SIDES = (1.25, 1)  # the figure, and beside it the text


@dataclass(frozen=True)
class LessonPosition:
    """A lesson, the visitor's station in it (counted from 0), and the answer in the address, if there is one."""

    lesson: Lesson
    number: int
    answer: str | None

    @property
    def station(self) -> Station:
        """The station at this position."""
        return self.lesson.stations[self.number]


def position_in_lesson() -> LessonPosition | None:
    """The lesson, station and answer in the address; None if it names no lesson. InputError for an unknown station."""
    if not (name := st.query_params.get(LESSON)):
        return None
    lesson, station = find(name), st.query_params.get(STATION, "1")
    number = whole_number(station, len(lesson.stations) + 1)
    if not number:
        raise InputError(
            f"“{lesson.title}” has the stations 1 to {len(lesson.stations)}; there is no station {station[:20]}."
        )
    return LessonPosition(lesson, number - 1, st.query_params.get(ANSWER))


def find(name: str) -> Lesson:
    """A built-in lesson by its name, or by its digest one that was opened from a file in the last hour."""
    if name in lessons():
        return lessons()[name]
    if upload := memo.stored_upload(Digest(name)):
        return read_upload(upload)
    raise InputError(
        f"There is no lesson “{name[:60]}” here. One that was opened from a file is kept for an hour: open it again on "
        "the page Lessons."
    )


def read_upload(upload: Upload) -> Lesson:
    """A visitor's own lesson; InputError that names the line that breaks the form."""
    try:
        text = upload.content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("This file is not a text in UTF-8. A lesson is a Markdown file.") from None
    return read(text, name=upload.identity)


def show_question(position: LessonPosition) -> None:
    """Draw the station before its page is shown: a question, and beside it its figure with the answer covered."""
    station = position.station
    page_head.title_bar(station.page, turns_pages=False)
    station_bar(position)
    with st.empty():  # a place for the spinner: without one, all below it would move when there is none any more
        answer = ask(station.question)
    st.markdown(f"**{filled(station.question.text, answer)}**")
    figure_column, text_column = st.columns(SIDES, gap="large")
    with figure_column:
        station_figure.show(station.question, answer, is_covered=True)
    with text_column:
        st.markdown(filled(station.before, answer))
        guess = _guess(answer)
        view.answers_bars(name_of(position), station_figure.labels_of(answer))
        with st.container(horizontal=True):
            answer_clicked = st.button("Answer and see", disabled=guess is None)
            show_clicked = st.button("Just show me", type="tertiary")
    if answer_clicked and guess is not None:
        _show(position, guess)
    if show_clicked:
        _show(position, NO_GUESS)


def _guess(answer: Answer) -> str | None:
    if isinstance(answer, Amount):
        number = st.number_input(
            f"Your guess{f' ({answer.unit})' if answer.unit else ''}", value=None, key=NUMBER, width=220
        )
        return None if number is None else f"{number:g}"
    assert isinstance(answer, Choice)
    choices = station_figure.labels_of(answer)
    if len(choices) > MOST_PILLS:
        return st.selectbox("Your guess", choices, index=None, key=CHOICE, width=theme.PROSE // 2)
    return st.pills("Your guess", choices, key=CHOICE)


def _show(position: LessonPosition, answer: str) -> None:
    """Go to the station's page with the choices that the station makes there.

    While a question is shown no control is bound to the address, so Streamlit allows setting all of it.
    """
    if answer != NO_GUESS:
        st.session_state.setdefault(OWN_ANSWERS, {})[name_of(position)] = answer
    address = {
        **position.station.choices,
        LESSON: position.lesson.name,
        STATION: str(position.number + 1),
        ANSWER: answer,
    }
    if theme.is_presented():
        address[theme.PRESENT] = "1"
    st.switch_page(position.station.page.streamlit_page(), query_params=address)


def below_title(position: LessonPosition) -> None:
    """Draw, below the title of the station's page, the bar, the question's figure and the model's answer."""
    station_bar(position)
    answer, station = ask(position.station.question), position.station
    # The address may hold the answer of whoever made the link, or of the teacher whom this page follows.
    own_answer = st.session_state.get(OWN_ANSWERS, {}).get(name_of(position))
    guess = own_answer or position.answer or NO_GUESS
    st.markdown(f"**{filled(station.question.text, answer)}**")
    figure_column, text_column = st.columns(SIDES, gap="large")
    with figure_column:
        station_figure.show(station.question, answer, guess=guess, is_covered=False)
    with text_column:
        st.markdown(result_sentence(answer, guess, is_own=own_answer is not None))
        st.markdown(explained(station, answer))
        view.answered(name_of(position), own_answer)
        view.answers_bars(name_of(position), station_figure.labels_of(answer))


def filled(text: str, answer: Answer) -> str:
    """A station's text with the measured values filled in, as Markdown; the error's sentence if one is unknown."""
    try:
        return fill(text, {name: typeset.plain(words) for name, words in answer.words.items()})
    except InputError as error:
        return typeset.plain(str(error))


def explained(station: Station, answer: Answer) -> str:
    """The station's text for after the answer, which holds only if the model's answer is still the expected one."""
    if is_as_written(answer, station.question.expected):
        return filled(station.after, answer)
    return (
        f"This station was written for the answer “{typeset.plain(station.question.expected[:60])}”. The model says "
        "something else today, so what was written about it is left out."
    )


def is_as_written(answer: Answer, expected: str) -> bool:
    """Whether the model's answer is the expected one; an amount is compared to the last digit that is written."""
    return answer.is_right(expected) if isinstance(answer, Choice) else answer.best == expected


def name_of(position: LessonPosition) -> str:
    """The name of the station's question for a class."""
    return f"{position.lesson.name}/{position.number + 1}"


def result_sentence(answer: Answer, guess: str, *, is_own: bool = True) -> str:
    """Whether a guess is right, and the model's answer, as Markdown; `is_own`: whether the guess is this visitor's."""
    if isinstance(answer, Amount):
        right = f"the model says **{answer.with_unit()}**"
    else:
        assert isinstance(answer, Choice)
        best = typeset.plain(answer.best)
        right = f"the model says **{best}** ({typeset.plain(answer.with_unit(answer.values[answer.best]))})"
    if guess == NO_GUESS:
        return f"{right[0].upper()}{right[1:]}."
    guess_text = typeset.plain(guess[:60])
    guess_sentence = f"You said {guess_text}" if is_own else f"The answer given was {guess_text}"
    if answer.is_right(guess):
        return f":material/check_circle: {guess_sentence}: {right}."
    return f":material/arrow_forward: {guess_sentence}; {right}."


def station_bar(position: LessonPosition) -> None:
    """Draw the station's title and its place in the lesson, with buttons that go back, go on and leave."""
    last = len(position.lesson.stations) - 1
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="station-bar"):
        st.subheader(typeset.plain(position.station.title), anchor=False, width="content")
        st.markdown(
            f":gray[{typeset.plain(position.lesson.title)} · {position.number + 1} of {last + 1}]", width="content"
        )
        with st.container(horizontal=True, gap="small", width="content"):  # on a phone, all in one row
            st.button(
                "Back",
                icon=":material/chevron_left:",
                disabled=position.number == 0,
                on_click=_go,
                args=(position.number - 1,),
                key="station-back",
                shortcut="PageUp" if theme.is_presented() else None,
            )
            if position.number < last:
                st.button(
                    "Next",
                    icon=":material/chevron_right:",
                    icon_position="right",
                    on_click=_go,
                    args=(position.number + 1,),
                    key="station-on",
                    shortcut="PageDown" if theme.is_presented() else None,
                )
            st.button("Exit lesson", on_click=_leave, type="tertiary", key="station-leave")


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


def station_link(lesson: Lesson, number: int) -> None:
    """A link to a station of a lesson: its number and title."""
    station, icon = lesson.stations[number], f":material/counter_{number + 1}:"
    address = {LESSON: lesson.name, STATION: str(number + 1)}
    st.page_link(station.page.streamlit_page(), label=typeset.plain(station.title), icon=icon, query_params=address)
