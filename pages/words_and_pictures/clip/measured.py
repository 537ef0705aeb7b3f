"""Measured: retrieval of photographs and emoji, classes of CIFAR-10, and sentences with one word exchanged."""

from collections.abc import Iterator, Mapping
from functools import partial

import pandas as pd
import streamlit as st

from core.results import clip_results
from core.results.clip_results import BY_NAME, NEAREST, Retrieval, SentencePreferences
from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.figures.grounding import Scored, grounding_points
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import SPLITS
from dashboard.number_format import CLEAR, compare
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.words_and_pictures.clip.prose import PAGE

SECTION = PAGE.section("Measured")
ALONE = "each word by itself"
MANY = 50  # pairs: of fewer no best or worst is told

measured = cached()(clip_results.results)


def show() -> None:
    """Figure and tables."""
    results = measured()
    _exchanged(results.exchanged)
    _ranked(results.retrievals)
    _classes(results.classes)
    sentences = noticed(results.exchanged, results.retrievals, results.classes)
    layout.notes(SECTION, notice=sentences)


def _exchanged(preferences: tuple[SentencePreferences, ...]) -> None:
    with layout.control_bar():
        splits = [SPLITS[preference.split] for preference in preferences]
        split = controls.menu("Scenes", splits, key="exchanged_split", width=360)
    own = next(preference for preference in preferences if SPLITS[preference.split] == split)
    rows = [
        row
        for kind, share in own.by_kind.items()
        for row in (
            Scored("CLIP", kind, share, own.error(kind), own.pairs[kind]),
            Scored(ALONE, kind, own.alone[kind], own.error(kind, alone=True), own.pairs[kind]),
        )
    ]
    figure = partial(
        grounding_points,
        rows,
        {"chance": 0.5},
        look=theme.look(),
        x="the true sentence is preferred",
        height=theme.look().high(330),
        unit="pairs",
    )
    alt = "; ".join(f"{row.model}, {row.way} {row.share:.0%}" for row in rows)
    table = pd.DataFrame(
        [
            {"split": preference.split, "chosen of ten": preference.chosen, **preference.by_kind}
            for preference in preferences
        ]
    )
    charts.chart(figure, name="clip-exchanged", alt=f"How often the true sentence is preferred: {alt}", table=table)
    layout.place_notice()
    layout.caption(SECTION.text("Exchanged words"))


def _ranked(retrievals: tuple[Retrieval, ...]) -> None:
    layout.heading("Does a sentence find its picture?")
    table = pd.DataFrame(
        [
            {
                "what": retrieval.name,
                **{f"R@{rank}": share for rank, share in retrieval.recall.items()},
                "median rank": retrieval.median,
                "of": retrieval.of,
                "chance of R@1": 1 / retrieval.of,
            }
            for retrieval in retrievals
        ]
    )
    shares = {name: st.column_config.NumberColumn(format="percent") for name in table if "R@" in name}
    data_table(table, hide_index=True, column_config=shares, width="content")
    charts.download_table(table, "clip-retrieval")


def _classes(right: Mapping[str, float]) -> None:
    layout.heading("Classes of CIFAR-10, of which it learned no picture")
    table = pd.DataFrame({"by": list(right), "right": list(right.values())})
    percent = {"right": st.column_config.NumberColumn(format="percent")}
    data_table(table, hide_index=True, width="content", column_config=percent)
    st.caption(SECTION.text("CIFAR-10"))


def noticed(
    preferences: tuple[SentencePreferences, ...], ranked: tuple[Retrieval, ...], right: Mapping[str, float]
) -> tuple[str, ...]:
    """The best and the worst kind of word, whether order is known, retrieval beside its baseline, classes."""
    test = next((preference for preference in preferences if preference.split == "test"), None)
    sentences = (
        *(_tell_kinds(test) if test else ()),
        *_tell_retrieval(ranked),
        *(_tell_classes(right) if right else ()),
    )
    return tuple(sentences)


def _tell_kinds(test: SentencePreferences) -> Iterator[str]:
    """The kinds of word whose exchange is noticed most and least often, and whether order is."""
    often = [kind for kind in test.by_kind if test.pairs[kind] >= MANY]
    if often:
        best = max(often, key=lambda kind: test.by_kind[kind])
        worst = min(often, key=lambda kind: test.by_kind[kind])
        yield (
            f"On new scenes CLIP notices a wrong **{best}** in {test.by_kind[best]:.0%} of the pairs, a wrong "
            f"**{worst}** in {test.by_kind[worst]:.0%}; chance is 50%."
        )
    beside = {
        "more": "more than counting words gives",
        "less": "less than counting words gives",
        "as much": "which cannot be told from counting words",
        "unknown": "of too few",
    }[compare(test.by_kind["order"], 0.5, margin=CLEAR * test.error("order"))]
    yield f"When both groups of a relation change places, CLIP is right in {test.by_kind['order']:.0%}, {beside}, 50%."


def _tell_retrieval(ranked: tuple[Retrieval, ...]) -> Iterator[str]:
    """How often a caption finds its photograph, beside the baseline."""
    by_name = {retrieval.name: retrieval for retrieval in ranked}
    first = "photographs: text to picture"
    ours, base = by_name.get(first), by_name.get(f"{first}{NEAREST}")
    if ours and base:
        yield (
            f"A caption ranks its photograph first of {ours.of:,} in {ours.recall[1]:.1%} of cases, among the first "
            f"ten in {ours.recall[10]:.0%}; by the words of the most similar photograph it is {base.recall[1]:.1%} and "
            f"{base.recall[10]:.0%}."
        )


def _tell_classes(right: Mapping[str, float]) -> Iterator[str]:
    """How many pictures of CIFAR-10 are named right, beside chance."""
    best = max(BY_NAME, key=lambda name: right[name])
    yield f"CLIP names {right[best]:.0%} of CIFAR-10 right ({best}); chance is {right['chance']:.0%}."
