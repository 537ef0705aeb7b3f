"""Copy: how far each of five models can carry a digit, measured, and asked live."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.reach import copy_task
from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.comparisons import join_names
from pages.foundations.before_attention import compute
from pages.foundations.before_attention.compute import TITLES, Answers
from pages.foundations.before_attention.figures import copy_curves
from pages.foundations.before_attention.prose import PAGE

SECTION = PAGE.section("Copy")
DIGITS, DISTANCE = "48203", 20
DRAWS = 9999  # questions to choose from, for the same digits and distance
MOSTLY = 0.5  # a copy that succeeds more often than not
FLAT = 0.1  # shares of right answers that differ by no more do not depend on the distance
RECURRENT = tuple(TITLES[name] for name in ("rnn", "lstm", "gru"))


def show() -> None:
    """The curve; then a question of one's own."""
    measured = compute.accuracies()
    curve = st.container()
    st.subheader("Ask the models yourself", anchor=False)
    digits, distance, draw, position = _choices()
    with curve:
        charts.chart(
            partial(copy_curves, measured, distance, look=theme.look()),
            name="copy",
            alt="The share of digits that each model repeats correctly, against the distance they had to be carried",
            table=measured.reset_index(),
        )
        layout.place_notice()
    with layout.waiting_place():
        answers = compute.ask(digits, distance, draw)
    st.code(answers.question, language=None, wrap_lines=True)
    probabilities, verdicts = st.columns([3, 2], gap="large", vertical_alignment="center")
    with probabilities:
        _probabilities(answers, position)
    with verdicts:
        st.markdown(_verdicts(answers))
    layout.notes(SECTION, notice=about_copy(measured, answers))


def about_copy(accuracies: pd.DataFrame, answers: Answers) -> tuple[str, ...]:
    """How far each model carries a digit, and what became of the question that is shown.

    `accuracies`: a row for each distance, a column for each model by title.
    """
    far = {title: longest_copied(accuracies[title]) for title in accuracies}
    last = accuracies.iloc[-1]
    return (
        "The longest distance at which a model still repeats more than half of the digits: "
        + ", ".join(f"{title} **{distance or 'none'}**" for title, distance in far.items())
        + ".",
        *(_about_unlearned(title, accuracies[title]) for title in accuracies if not far[title]),
        f"At distance {accuracies.index[-1]} self-attention repeats {last[TITLES['self_attention']]:.0%} of the "
        f"digits, the convolution {last[TITLES['convolution']]:.0%}; guessing would give {copy_task.CHANCE:.0%}.",
        _about_question({TITLES[name]: answers.right(name) for name in answers.probabilities}),
    )


def _about_question(right: Mapping[str, int]) -> str:
    """Who answered best; `right`: how many digits each model got right."""
    most = max(right.values())
    best = [title for title, count in right.items() if count == most]
    if not most:
        return "In the question shown, no model got a single digit right."
    if len(best) == len(right) > 1:
        return f"In the question shown, every model got {most} of {copy_task.REMEMBERED} digits right."
    return f"In the question shown, {join_names(best)} got the most digits right: {most} of {copy_task.REMEMBERED}."


def _about_unlearned(title: str, accuracies: pd.Series) -> str:
    """What may be said of a model that fails at the shortest distance already: whether the distance matters to it."""
    least, most = accuracies.min(), accuracies.max()
    if most - least > FLAT:
        return (
            f"{title} repeats {accuracies.iloc[0]:.0%} of the digits at the shortest distance, and {least:.0%} to "
            f"{most:.0%} over all distances."
        )
    summary = f"{title} repeats {least:.0%} to {most:.0%} of the digits, whatever the distance"
    if least > copy_task.CHANCE + FLAT:
        return f"{summary}. It never repeats more than half of them; guessing would give {copy_task.CHANCE:.0%}."
    known = (
        " A known reason: the gradient that trains a recurrent network fades on its way back (Bengio et al. 1994). It "
        "was not measured in this training."
    )
    return f"{summary}. It has hardly learned this task.{known if title in RECURRENT else ''}"


def longest_copied(accuracies: pd.Series) -> int:
    """The longest distance up to which, at every distance measured, more than half came back right; 0 if none."""
    failed = np.flatnonzero(accuracies.to_numpy() <= MOSTLY)
    reached = failed[0] if len(failed) else len(accuracies)
    return int(accuracies.index[reached - 1]) if reached else 0


def _choices() -> tuple[str, int, int, int]:
    """Digits, distance, the draw of the letters between, and for which of the digits probabilities are shown."""
    with layout.control_bar():
        digits = st.text_input(
            "Five digits", DIGITS, key="digits", bind="query-params", max_chars=copy_task.REMEMBERED, width=120
        )
        distance = st.slider(
            "Distance",
            copy_task.SHORTEST,
            copy_task.LONGEST,
            DISTANCE,
            key="distance",
            bind="query-params",
            width=260,
            help=SECTION.text("Distance"),
        )
        number = controls.choice("Digit to look at", range(1, copy_task.REMEMBERED + 1), key="asked", first=1)
        st.button("Other letters", icon=":material/casino:", on_click=_draw_again)
        with layout.settings():
            draw = controls.number_box("Random letters, draw", 1, DRAWS, 1, key="draw", width=150)
    return digits, distance, draw, number - 1


def _draw_again() -> None:
    st.session_state.draw = st.session_state.draw % DRAWS + 1


def _probabilities(answers: Answers, position: int) -> None:
    names = list(answers.probabilities)
    right = int(answers.digits[position])
    st.markdown(SECTION.text("Probabilities", number=position + 1, digit=right))
    cell_map(
        np.stack([answers.probabilities[name][position] for name in names]),
        key="copy-answers",
        x="digit",
        y="",
        tell="{row} gives the digit {column} a probability of {value}",
        rows=[TITLES[name] for name in names],
        columns=list(copy_task.DIGITS),
        limits=(0, 1),
        marked=[(row, right) for row in range(len(names))],
        mark="the right answer",
        alt=f"The probability of each digit at question mark {position + 1}, one row per model",
        name="copy-answers",
    )


def _verdicts(answers: Answers) -> str:
    """A table in Markdown: what each model answers, the wrong digits struck through."""
    rows = ["| model | answers | right |", "|:--|:--|--:|"]
    for name in answers.probabilities:
        pairs = zip(answers.answer(name), answers.digits, strict=True)
        digits = " ".join(f"**{digit}**" if digit == wanted else f"~~{digit}~~" for digit, wanted in pairs)
        rows.append(f"| {TITLES[name]} | {digits} | {answers.right(name)} of {copy_task.REMEMBERED} |")
    return "\n".join(rows)
