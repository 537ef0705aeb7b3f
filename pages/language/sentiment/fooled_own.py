"""A pair of the visitor's own: what each model says before and after, and who changes its mind."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.sentiment.behavioural_tests import positivity
from core.text import read_text
from dashboard import theme
from dashboard.contents import LONGEST_LINE
from dashboard.frame import layout
from dashboard.inputs import example_texts
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.language.sentiment import compute, reviews
from pages.language.sentiment import compute_fooled as computed
from pages.language.sentiment import fooled_sentences as sentences
from pages.language.sentiment.figures_fooled import Move, moves
from pages.language.sentiment.fooled_names import marked, short

# Pairs to click, by language.
EXAMPLES = {
    language: example_texts.examples_of(f"fooled-{language}", tuple[str, str])
    for language in reviews.LANGUAGES.values()
}
BEFORE, AFTER, PICKED = "fooled_before", "fooled_after", "fooled_picked"


def show(language: str, names: Sequence[str]) -> None:
    """Two texts of the visitor's, and who changes its mind between them."""
    layout.heading("Your own pair")
    before, after = _own_pair(language)
    for text in (before, after):
        read_text(text)
    with layout.waiting_place():
        read = {name: computed.pair_probabilities(name, before, after) for name in names}
    classes = {name: compute.model(name).classes for name in names}
    changed = {short(name): bool(sides[0].argmax() != sides[1].argmax()) for name, sides in read.items()}
    sentence = sentences.about_own(changed)
    st.markdown(f"{marked(before, after)}\n\n{sentence}")
    rows, values = [], []
    for name, sides in read.items():
        labels = [classes[name][int(side.argmax())] for side in sides]
        values.append(
            [short(name), labels[0], float(sides[0].max()), labels[1], float(sides[1].max()), changed[short(name)]]
        )
        if (praise := positivity(sides, classes[name])) is not None:
            first, second = praise.tolist()
            tell = f"{short(name)}: {labels[0]} {sides[0].max():.1%}, then {labels[1]} {sides[1].max():.1%}"
            rows.append(Move(short(name), first, second, tell))
    columns = ["model", "verdict before", "probability before", "verdict after", "probability after", "changed"]
    table = pd.DataFrame(values, columns=columns)
    if rows:
        charts.chart(
            partial(moves, tuple(rows), look=theme.look(), x="how positive: 0% blame, 100% praise"),
            name="sentiment-fooled-own",
            alt="; ".join(row.tell for row in rows),
            table=table,
        )
    if len(rows) < len(names):
        data_table(table, hide_index=True)


def _own_pair(language: str) -> tuple[str, str]:
    offered = EXAMPLES[language]
    known = {pair for examples in EXAMPLES.values() for pair in examples.values()}
    first = next(iter(offered.values()))
    current = st.session_state.get(BEFORE), st.session_state.get(AFTER)
    if current in known and current not in offered.values():  # an example follows the language; an own pair stays
        st.session_state[BEFORE], st.session_state[AFTER] = first

    def take() -> None:
        if (name := st.session_state[PICKED]) in offered:
            st.session_state[BEFORE], st.session_state[AFTER] = offered[name]

    if current[0] is not None:
        st.session_state[PICKED] = next((name for name, pair in offered.items() if pair == current), None)
    st.pills("Examples of pairs", list(offered), key=PICKED, on_change=take, label_visibility="collapsed")
    left, right = st.columns(2, gap="medium")
    with left:
        before = st.text_input("A text", first[0], key=BEFORE, bind="query-params", max_chars=LONGEST_LINE)
    with right:
        after = st.text_input("Changed", first[1], key=AFTER, bind="query-params", max_chars=LONGEST_LINE)
    return before, after
