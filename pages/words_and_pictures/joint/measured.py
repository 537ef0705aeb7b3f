"""Measured: hidden words with three pictures, and lies that are noticed, two streams beside one."""

import math
from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.results import joint_results
from core.results.joint_results import ALL, ANOTHER, ITS, NONE, Results, Shares
from core.scenes.sentences import KINDS
from core.zoo.joint import JOINT
from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.figures.grounding import Scored, grounding_points
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import SPLITS
from dashboard.number_format import CLEAR, compare, points
from dashboard.output import charts
from pages.words_and_pictures.joint.inputs import PICTURE_CONDITIONS
from pages.words_and_pictures.joint.prose import PAGE

SECTION = PAGE.section("Measured")
MANY = 50  # words: of fewer of a kind nothing is told

measured = cached()(joint_results.results)


def show() -> None:
    """Both figures, the notes."""
    results = measured()
    with layout.control_bar():
        title = controls.menu("Scenes", SPLITS.values(), key="joint_split", width=360)
        split = next(name for name, option in SPLITS.items() if option == title)
        kinds = [ALL, *(kind for kind in KINDS if any(kind in measurement.by_kind for measurement in results.words))]
        kind = controls.menu("Words", kinds, key="joint_kind", width=180)
    own = [measurement for measurement in results.words if measurement.split == split and kind in measurement.by_kind]
    guessed = [
        Scored(
            JOINT[measurement.name],
            PICTURE_CONDITIONS[measurement.picture],
            measurement.by_kind[kind],
            measurement.error(kind),
            measurement.counts[kind],
        )
        for measurement in own
    ]
    _figure(guessed, {}, "joint-words", "first guess is the word", "words", table_of(results.words))
    layout.place_notice()
    layout.caption(SECTION.text("Masked words"))
    layout.heading("Does it notice a false sentence?")
    false_sentences = [
        Scored(JOINT[measurement.name], kind, share, measurement.error(kind), measurement.counts[kind])
        for measurement in results.false_sentences
        if measurement.split == split
        for kind, share in measurement.by_kind.items()
    ]
    _figure(
        false_sentences,
        {"chance": 0.5},
        "joint-match",
        "the true sentence matches better",
        "pairs",
        table_of(results.false_sentences),
    )
    st.caption(SECTION.text("False sentences"))
    layout.notes(SECTION, notice=noticed(results))


def _figure(rows: Sequence[Scored], lines: dict[str, float], name: str, x: str, unit: str, table: pd.DataFrame) -> None:
    look = theme.look()
    ways = len({row.way for row in rows})
    figure = partial(grounding_points, rows, lines, look=look, x=x, height=look.high(150 + 42 * ways), unit=unit)
    alt = "; ".join(f"{row.model}, {row.way} {row.share:.0%}" for row in rows)
    charts.chart(figure, name=name, alt=f"{x}: {alt}", table=table)


def table_of(measurements: Sequence[Shares]) -> pd.DataFrame:
    """All shares."""
    return pd.DataFrame(
        [
            (
                JOINT[measurement.name],
                measurement.split,
                measurement.picture,
                kind,
                share,
                measurement.error(kind),
                measurement.counts[kind],
            )
            for measurement in measurements
            for kind, share in measurement.by_kind.items()
        ],
        columns=["network", "split", "shown", "kind", "share", "standard error", "asked"],
    )


def noticed(results: Results) -> tuple[str, ...]:
    """What the picture is worth, which kind needs it most, which network is better, and whether order is noticed."""
    sentences, own = [], {}
    for name, title in JOINT.items():
        shares = {
            measurement.picture: measurement
            for measurement in results.words
            if (measurement.name, measurement.split) == (name, "test")
        }
        own[name] = shares[ITS]
        sentences.append(
            f"**{title}** guesses {shares[ITS].by_kind[ALL]:.0%} of the masked words with the picture, "
            f"{shares[ANOTHER].by_kind[ALL]:.0%} with another one, {shares[NONE].by_kind[ALL]:.0%} without."
        )
        sentences += _tell_needed(shares[ITS], shares[NONE])
    sentences.append(_tell_better(*own.values()))
    sentences += [
        _tell_order(measurement)
        for measurement in results.false_sentences
        if measurement.split == "test" and "order" in measurement.by_kind
    ]
    return tuple(sentences)


def _tell_needed(own: Shares, without: Shares) -> Iterator[str]:
    """The kinds of word that gain most by the picture: the first, and those that are not clearly behind it."""

    def gain(kind: str) -> float:
        return own.by_kind[kind] - without.by_kind[kind]

    def error(kind: str) -> float:
        return math.hypot(own.error(kind), without.error(kind))

    common_kinds = [
        kind for kind in own.by_kind if kind != ALL and kind in without.by_kind and own.counts[kind] >= MANY
    ]
    kinds = [kind for kind in common_kinds if compare(gain(kind), 0.0, margin=CLEAR * error(kind)) == "more"]
    if common_kinds and not kinds:
        yield "For no kind of word is its guess clearly better with the picture."
    if not kinds:
        return
    first, *others = sorted(kinds, key=gain, reverse=True)
    near = [kind for kind in others if gain(first) - gain(kind) <= CLEAR * math.hypot(error(first), error(kind))]
    named = [f"“{kind}” ({points(gain(kind))})" for kind in (first, *near)]
    yield f"It gains most by the picture for words of the kind {' and '.join(named)}."


def _tell_order(false_sentences: Shares) -> str:
    """How often a sentence is noticed whose groups changed places, beside chance."""
    share = false_sentences.by_kind["order"]
    beside = {
        "more": "more than chance, a half",
        "less": "less than chance, a half",
        "as much": "which cannot be told from chance, a half",
        "unknown": "of too few",
    }[compare(share, 0.5, margin=CLEAR * false_sentences.error("order"))]
    return f"{JOINT[false_sentences.name]} notices {share:.0%} of the sentences whose groups changed places, {beside}."


def _tell_better(one: Shares, other: Shares) -> str:
    gap = one.by_kind[ALL] - other.by_kind[ALL]
    error = (one.error(ALL) ** 2 + other.error(ALL) ** 2) ** 0.5
    if abs(gap) <= CLEAR * error:
        return "Which of the two guesses more words cannot be decided from this many."
    better, worse = (one, other) if gap > 0 else (other, one)
    return f"{JOINT[better.name]} guesses more than {JOINT[worse.name]}, by {100 * abs(gap):.1f} points; one seed each."
