"""What a visitor of "Word by word" chooses: the model, the step, the head, the source word, how much of the tree."""

from collections.abc import Sequence
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import controls, layout
from pages.language.translation.models import TITLES

FIRST = 2  # the step that is shown at first: something has been written, and it can be seen what
STRONGEST = -1  # in place of a source token: the one with the largest weight
COLUMNS = (4, 6, 10)  # steps of the tree; the first fits a phone


def model() -> str:
    """The name of the model that is followed."""
    titles = {title: name for name, title in TITLES.items()}
    chosen = st.segmented_control(
        "Model",
        list(titles),
        default=TITLES["bahdanau"],
        key="steps_model",
        bind="query-params",
        required=True,
        wrap=True,
    )
    return titles[chosen]


def step(count: int) -> int:
    """One of `count` steps, counted from 1: by number, by two buttons, by the arrow keys."""
    key = "steps_step"
    # Another sentence, model or beam may need fewer steps than the one that was looked at.
    if (st.session_state.get(key) or 0) > count:
        st.session_state[key] = count
    left = st.container(width="content")
    chosen = st.number_input(
        f"Step, 1 to {count}", 1, count, min(FIRST, count), key=key, bind="query-params", width=140
    )
    # Both buttons come after the number, which a link may have set: only then is it known.
    _button(left, "Previous", -1, chosen, count)
    _button(st.container(width="content"), "Next", 1, chosen, count)
    return chosen


def _button(place: DeltaGenerator, label: str, by: int, at: int, count: int) -> None:
    place.button(
        label,
        icon=":material/arrow_back:" if by < 0 else ":material/arrow_forward:",
        icon_position="left" if by < 0 else "right",
        key=f"steps_{label.lower()}",
        on_click=_move,
        args=(by, count),
        shortcut="Left" if by < 0 else "Right",
        disabled=not 1 <= at + by <= count,
    )


def _move(by: int, count: int) -> None:
    at = st.session_state.get("steps_step") or min(FIRST, count)
    st.session_state.steps_step = min(count, max(1, at + by))


def head(bar: DeltaGenerator, layers: int, heads: int, best: dict) -> tuple[int, int]:
    """Layer and head of the transformer's decoder; at first the head that aligns best, where that was measured."""
    with bar:
        layer = controls.number("Layer", layers, key="steps_layer", first=int(best.get("layer", layers - 1)))
        chosen = controls.number("Head", heads, key="steps_head", first=int(best.get("head", 0)))
    return layer, chosen


def source_word(labels: Sequence[str], strongest: int) -> int:
    """The source token whose score is taken apart: the strongest of the step, or always the same one."""
    key, options = "steps_word", [STRONGEST, *range(len(labels))]
    if st.session_state.get(key, STRONGEST) not in options:
        st.session_state[key] = STRONGEST

    def name(place: int) -> str:
        if place == STRONGEST:
            return "the one with the largest weight"
        return f"{place + 1}. {layout.readable(labels[place])}"

    chosen = cast(int, st.selectbox("Source word", options, format_func=name, key=key, bind="query-params", width=300))
    return strongest if chosen == STRONGEST else chosen


def columns() -> int:
    """How many steps of the tree are drawn."""
    return st.segmented_control(
        "Steps drawn", COLUMNS, default=COLUMNS[0], key="steps_drawn", bind="query-params", required=True
    )
