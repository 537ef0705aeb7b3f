"""Copy: how far each of five models can carry a digit, measured, and asked live."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from core.memory import copy_task
from dashboard import charts, layout
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from pages.foundations.before_attention import compute as kept
from pages.foundations.before_attention import notices
from pages.foundations.before_attention import words as said
from pages.foundations.before_attention.answers import Answers
from pages.foundations.before_attention.models import HUE, TITLES

DIGITS, DISTANCE = "48203", 20
DRAWS = 9999  # questions to choose from, for the same digits and distance


def show() -> None:
    """The curve; then a question of one's own."""
    table = accuracies()
    curve = st.container()
    st.subheader("Ask them yourself", anchor=False)
    digits, distance, draw, asked = _choices()
    with curve:
        _curve(table, distance)
    with layout.waiting_place():
        answers = kept.answers(digits, distance, draw)
    st.code(answers.question, language=None, wrap_lines=True)
    probabilities, verdicts = st.columns([3, 2], gap="large", vertical_alignment="center")
    with probabilities:
        _probabilities(answers, asked)
    with verdicts:
        st.markdown(_verdicts(answers))
    distances = np.array(kept.table("copy").index)
    layout.notes(
        said.NOTES[said.COPY],
        notice=notices.about_copy(table, distances, answers),
        formula=_formula,
    )


def accuracies() -> dict[str, np.ndarray]:
    """The share of right answers at each distance that was measured."""
    table = kept.table("copy")
    return {title: np.array(table[name]) for name, title in TITLES.items()}


def _choices() -> tuple[str, int, int, int]:
    """Digits, distance, the draw of the letters between, and which of the digits is looked at."""
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
            help="Characters from each digit to the question mark at which it is to be given back.",
        )
        draw = st.number_input("Letters, draw no.", 1, DRAWS, 1, key="draw", bind="query-params", width=150)
        st.button("Other letters", icon=":material/casino:", on_click=_draw_again)
        asked = st.segmented_control(
            "Digit to look at",
            range(1, copy_task.REMEMBERED + 1),
            default=1,
            key="asked",
            bind="query-params",
            required=True,
        )
    return digits, distance, draw, asked - 1


def _draw_again() -> None:
    st.session_state.draw = st.session_state.draw % DRAWS + 1


def _curve(table: Mapping[str, np.ndarray], distance: int) -> None:
    distances = kept.table("copy").index
    look = layout.look()
    figure = curves(
        np.array(distances),
        table,
        look=look,
        x="characters from a digit to its answer",
        y="right answers",
        tell="%{fullData.name}, distance %{x}: %{y:.0%} right",
        hues=HUE,
        marks=True,
        y_range=(0, 1.04),
        height=look.high(360),
    )
    figure.update_yaxes(tickformat=".0%")
    for above, trace in enumerate(reversed(figure.data)):
        # Models that are always right lie on one another: those below are wider, and stay visible.
        trace.update(line_width=2 + above, marker_size=6 + 2 * above)
    figure.add_hline(
        y=copy_task.CHANCE,
        line={"color": look.palette.soft, "dash": "dot", "width": 1.5},
        annotation_position="bottom right",
        annotation={"text": "guessing", "font": {"color": look.palette.soft, "size": look.letters - 1}},
    )
    figure.add_vline(x=distance, line={"color": look.palette.accent, "dash": "dot", "width": 1.5})
    charts.chart(
        figure,
        name="copy",
        alt="The share of digits that each model gives back, against the distance they had to be carried",
        table=pd.DataFrame(table, index=distances).rename_axis("distance").reset_index(),
    )


def _probabilities(answers: Answers, asked: int) -> None:
    names = list(answers.probabilities)
    right = int(answers.digits[asked])
    st.markdown(f"What each model gives every digit at question mark {asked + 1}. Right is **{right}**, marked.")
    cell_map(
        np.stack([answers.probabilities[name][asked] for name in names]),
        key="copy-answers",
        x="digit",
        y="",
        tell="{row} gives the digit {column} a probability of {value}",
        rows=[TITLES[name] for name in names],
        columns=list(copy_task.DIGITS),
        limits=(0, 1),
        marked=[(row, right) for row in range(len(names))],
        mark="the right answer",
        alt=f"The probability of each digit at question mark {asked + 1}, one row a model",
        name="copy-answers",
    )


def _verdicts(answers: Answers) -> str:
    """A table in Markdown: what each model answers, the wrong digits struck through."""
    rows = ["| model | answers | right |", "|:--|:--|--:|"]
    for name in answers.probabilities:
        given = zip(answers.given(name), answers.digits, strict=True)
        digits = " ".join(f"**{digit}**" if digit == wanted else f"~~{digit}~~" for digit, wanted in given)
        rows.append(f"| {TITLES[name]} | {digits} | {answers.right(name)} of {copy_task.REMEMBERED} |")
    return "\n".join(rows)


def _formula() -> None:
    st.markdown(said.COPY_FORMULA)
