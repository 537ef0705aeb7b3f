"""Fooled: pairs of sentences that differ in one place, and who changes its mind when it should, or should not."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from core.results.sentiment_results import LOGISTIC
from core.sentiment.behavioural_tests import (
    CONFIDENCE,
    KINDS,
    TOLERANCE,
    BehaviouralTestResult,
    Pair,
    fails,
    pairs_of,
    polar_classes,
)
from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard import theme, typeset
from dashboard.cache import waiting
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.number_format import span
from dashboard.output import charts
from pages.language.sentiment import compute, fooled_own, reviews
from pages.language.sentiment import compute_fooled as computed
from pages.language.sentiment import fooled_sentences as sentences
from pages.language.sentiment.figures_fooled import Span, rates
from pages.language.sentiment.fooled_names import SHORT, marked, short
from pages.language.sentiment.prose import PAGE

SECTION = PAGE.section("Fooled")
KIND, ONLY, PAGE_OF_PAIRS = "fooled_kind", "fooled_only", "fooled_page"
ALL, FAILED = "all pairs", "where somebody fails"
APART = "\u00a0"  # no line is broken here
ROWS = 10  # pairs on one page of the table
BASELINE = SHORT[LOGISTIC]


def show() -> None:
    """The rates of all kinds and models, the pairs of one kind with every verdict, and a pair of the visitor's own."""
    with layout.control_bar():
        language = reviews.language()
        place = st.container(width="content")
    name = _model(language, place)
    counted = _counted(language, name)
    titles = {title: kind for kind, title in KINDS.items()}
    figures = st.container()
    kind = titles[controls.choice("Kind of pair", titles, key=KIND)]
    of_kind = {model: [one for one in tests if one.kind == kind] for model, tests in counted.items()}
    of_kind = {model: tests for model, tests in of_kind.items() if tests}
    every, one = figures.columns([1, 1], gap="medium")
    with every:
        _map(counted, kind)
    with one:
        _rates(kind, of_kind)
        layout.place_notice()
    names = tuple(dict.fromkeys((*REVIEWERS[language], name)))
    _pairs(language, kind, names)
    fooled_own.show(language, names)
    notice = (
        sentences.about_kind(KINDS[kind], of_kind),
        sentences.about_stubborn(of_kind),
        sentences.about_right(of_kind),
        sentences.about_unread(of_kind),
        sentences.about_sides(counted),
        sentences.about_baseline(counted, BASELINE),
    )
    layout.notes(
        SECTION,
        notice=tuple(sentence for sentence in notice if sentence),
        numbers=interval_in_numbers(language, of_kind),
        formula=lambda: st.markdown(SECTION.text("Positivity")) if kind == "intensity" else None,
    )


# Whose verdicts.


def _model(language: str, place: DeltaGenerator) -> str:
    offered = list(REVIEWERS[language])
    others = {other for names in REVIEWERS.values() for other in names} - set(offered)
    if st.session_state.get("model") in others:
        st.session_state["model"] = offered[0]
    name = model_name.model("text", offered=offered, menu=place)
    compute.model(name)  # refused here if it is no classifier
    return name


def _counted(language: str, name: str) -> dict[str, tuple[BehaviouralTestResult, ...]]:
    """What was counted, by the short names of models; of a named one, if it has read the checklist."""
    counted = dict(computed.measured(language))
    if name not in counted:
        title = typeset.plain(compute.model(name).title)
        if polar_classes(compute.model(name).classes) is None:
            st.caption(SECTION.text("Classes of other names", name=title))
        if (own := computed.checklist.peek(name, language)) is not None:
            counted[name] = own
        else:
            st.caption(SECTION.text("Unread checklist", name=title, pairs=len(pairs_of(language))))
            waiting.offer(
                f"Read the checklist with {title}",
                partial(_read, name, language),
                unit="kinds of pairs",
                icon=":material/checklist:",
                key="fooled_run",
            )
    return {short(model): tests for model, tests in counted.items()}


def _read(name: str, language: str, progress) -> object:
    return computed.checklist(name, language, progress=progress)


# The rates.


def _map(counted: Mapping[str, Sequence[BehaviouralTestResult]], kind: str) -> None:
    """Every kind and model as a cell; a click chooses the kind."""
    kinds, models = list(KINDS), list(counted)
    values = np.full((len(kinds), len(models)), np.nan)
    for row, row_kind in enumerate(kinds):
        for column, tests in enumerate(counted.values()):
            if rate := sentences.rate_of([one for one in tests if one.kind == row_kind]):
                values[row, column] = rate.share

    def take(row: int, _column: int) -> None:
        st.session_state[KIND] = KINDS[kinds[row]]
        st.session_state[PAGE_OF_PAIRS] = 0

    st.caption(SECTION.text("Map of the kinds"))
    cell_map(
        values,
        key="fooled_map",
        x="model",
        y="kind of pair",
        tell="{row}, {column}: fails on {value} of the pairs",
        rows=[KINDS[row_kind] for row_kind in kinds],
        columns=models,
        limits=(0.0, 1.0),
        marked=[(kinds.index(kind), column) for column in range(len(models))],
        on_click=take,
        alt=f"Share of pairs on which each model fails, {span(values, '{:.0%}'.format)}, by kind of pair",
        name="sentiment-fooled-map",
        height=300,
    )


def rates_table(counted: Mapping[str, Sequence[BehaviouralTestResult]]) -> pd.DataFrame:
    """One row for each model and test: pairs, failures, the rate and its interval."""
    rows = [
        [model, KINDS[one.kind], one.test, one.should, one.pairs, one.failed, one.rate.share, *one.rate.interval]
        for model, tests in counted.items()
        for one in tests
    ]
    columns = ["model", "kind", "test", "should", "pairs", "failed", "share", "from", "to"]
    return pd.DataFrame(rows, columns=columns)


def _rates(kind: str, counted: Mapping[str, Sequence[BehaviouralTestResult]]) -> None:
    rows = []
    for model, tests in counted.items():
        if rate := sentences.rate_of(tests):
            parts = "; ".join(f"{one.test}: {one.failed} of {one.pairs}" for one in tests)
            rows.append(
                Span(model, rate.share, *rate.interval, f"{model} fails on {sentences.with_interval(rate)}. {parts}")
            )
    charts.chart(
        partial(rates, tuple(rows), look=theme.look(), x="share of pairs on which it fails, with 95% interval"),
        name="sentiment-fooled-rates",
        alt=f"{KINDS[kind]}: " + "; ".join(row.tell for row in rows),
        table=rates_table(counted),
    )


# The pairs.


def _pairs(language: str, kind: str, names: Sequence[str]) -> None:
    """Pairs of the chosen kind with the verdicts of each model before and after."""
    layout.heading("The pairs, and both predictions")
    with layout.waiting_place():
        read = {name: computed.reading(name, language, kind) for name in names}
    classes = {name: compute.model(name).classes for name in names}
    pairs = computed.of_kind(language, kind)
    failed = {
        name: [fails(pair, probabilities, classes[name]) for pair, probabilities in zip(pairs, of, strict=True)]
        for name, of in read.items()
    }
    with layout.control_bar():
        only = controls.choice("Show", [ALL, FAILED], key=ONLY) == FAILED
        chosen = [row for row in range(len(pairs)) if not only or any(failed[name][row] for name in names)]
        pages = -(-len(chosen) // ROWS)
        page = controls.number("Page, from 0", pages, key=PAGE_OF_PAIRS) if pages > 1 else 0
    if not chosen:
        st.caption("No model fails on any of them.")
        return
    visible_rows = chosen[page * ROWS : (page + 1) * ROWS]
    table = pd.DataFrame({"pair": [marked(pairs[row].before, pairs[row].after) for row in visible_rows]})
    table["should"] = [pairs[row].should for row in visible_rows]
    for name in names:
        table[typeset.plain(short(name))] = [
            f"{change(read[name][row], classes[name])}{APART + '✗' if failed[name][row] else ''}"
            for row in visible_rows
        ]
    st.table(table, hide_index=True)
    captions = [SECTION.text("Marks in the table", chosen=len(chosen), pairs=len(pairs))]
    if kind == "intensity":
        captions.append(SECTION.text("Direction of a change", tolerance=TOLERANCE))
    layout.caption(" ".join(captions))
    charts.download_table(partial(pairs_table, pairs, read, classes), f"sentiment-fooled-{kind}")


def change(read: Float[Tensor, "side class"], classes: Sequence[str]) -> str:
    """Both verdicts with their probabilities, the second only where it is another class; "neg" for negative."""
    known = polar_classes(classes) is not None
    sides = [(classes[int(side.argmax())][: 3 if known else None].lower(), float(side.max())) for side in read]
    (first, sure), (second, now) = ((typeset.plain(label), share) for label, share in sides)
    return f"{first}{APART}{sure:.0%} → {'' if first == second else second + APART}{now:.0%}"


def pairs_table(
    pairs: Sequence[Pair], read: Mapping[str, Float[Tensor, "point side class"]], classes: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """One row for each pair: both sentences, what should happen, and both verdicts of each model."""
    table = pd.DataFrame([[pair.before, pair.after, pair.test, pair.should] for pair in pairs])
    table.columns = ["before", "after", "test", "should"]
    for name, of in read.items():
        for number, side in enumerate(("before", "after")):
            best = of[:, number].max(dim=-1)
            table[f"{name}, {side}"] = [classes[name][index] for index in best.indices.tolist()]
            table[f"{name}, {side}, probability"] = best.values.tolist()
    return table


# How it is computed.


def interval_in_numbers(language: str, counted: Mapping[str, Sequence[BehaviouralTestResult]]) -> dict[str, object]:
    """The numbers of Wilson's interval of the model that fails most on this kind, by their places in the text."""
    model_rates = {name: rate for name, tests in counted.items() if (rate := sentences.rate_of(tests))}
    name = max(model_rates, key=lambda model: model_rates[model].share)
    rate = model_rates[name]
    low, high = rate.interval
    return {
        "all": len(pairs_of(language)),
        "name": typeset.plain(name),
        "failed": rate.failed,
        "pairs": rate.pairs,
        "share": rate.share,
        "square": CONFIDENCE**2 / rate.pairs,
        "low": low,
        "high": high,
    }
