"""Measured of the attention GAN: what holds, what its words are worth, how its pictures lie beside others."""

from collections.abc import Iterator, Mapping

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.results import attention_gan_results
from core.results.attention_gan_results import DALLE, TRUE, Crowd, PainterResult, Results
from core.results.dalle_results import ALL, CHANCE, OF, WHOLE_SENTENCE, Share
from core.zoo.attention_gans import ALIKE, AS_LEARNED, ATTENTION_GANS, CUT, WORD_ATTENTION
from dashboard.cache.memo import cached
from dashboard.figures.grounding import Scored
from dashboard.frame import layout
from dashboard.inputs.picture_input import SPLITS
from dashboard.number_format import compare, points
from dashboard.output.data_table import data_table
from pages.words_and_pictures.generation import measured_drawn, measured_statements
from pages.words_and_pictures.generation.inputs import PAINTER
from pages.words_and_pictures.generation.measured_statements import (
    BOUNDS,
    MANY,
    candidates_chart,
    most_candidates,
    scored_of,
    split_of,
    statements_chart,
    table_of,
    tell_reader,
    unless_clear,
)
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Measured: attention GAN")
ABOUT = 0.05  # of a distance or diversity: a smaller difference counts as none

measured = cached()(attention_gan_results.results)


def show(bar: DeltaGenerator) -> None:
    """What holds by kind, what the words are worth, crowds of pictures."""
    results = measured()
    sentences: list[str] = []
    if results.held:
        sentences += _held(results, bar)
    else:
        st.info(PAGE.text("Without the scene reader"), icon=":material/info:")
    if results.looks:
        sentences += _word_attention(results.looks)
    if results.crowds:
        sentences += _crowds(results.crowds)
    sentences += [tell_painter(name, painter) for name, painter in results.painters.items()]
    layout.notes(SECTION, notice=tuple(sentences))


# What holds.


def _held(results: Results, bar: DeltaGenerator) -> tuple[str, ...]:
    split = split_of(results.held, bar)
    ways = results.held[split]
    drawn = measured_drawn.measured().held.get(split, {})
    best = most_candidates(ways)
    way_titles = {"1": "one picture", str(best): f"best of {best} by CLIP", CHANCE: BOUNDS[CHANCE]}
    rows = [*scored_of(ways, way_titles), *scored_of(drawn, {"1": "one drawing of DALL-E"})]
    statements_chart(rows, table_of(results.held), name="painted-statements")
    layout.place_notice()
    layout.caption(SECTION.text("Words that hold"))
    candidates_chart(ways)
    return (*tell_held(ways, SPLITS[split], drawn.get("1")), *tell_reader(measured_statements.reader(), split))


def tell_held(ways: Mapping[str, Mapping[str, Share]], title: str, drawn: Mapping[str, Share] | None) -> Iterator[str]:
    """What holds in one picture beside chance and beside DALL-E, and what the choice of CLIP brings."""
    one, by_chance = ways["1"], ways[CHANCE]
    yield (
        f"In one picture **{one[ALL].share:.0%}** of the words hold ({title}); by chance {by_chance[ALL].share:.0%}"
        f"{unless_clear(one[ALL], by_chance[ALL], ', from which it cannot be told apart')}. Whole sentences: "
        f"{one[WHOLE_SENTENCE].share:.0%}, {by_chance[WHOLE_SENTENCE].share:.0%}."
    )
    if drawn:
        unclear = unless_clear(one[ALL], drawn[ALL], " The difference may be chance.")
        yield (
            f"In one drawing of DALL-E {drawn[ALL].share:.0%} hold: {drawn[ALL].asked:,} words of the same kind of "
            f"sentences, here {one[ALL].asked:,}.{unclear}"
        )
    if (most := most_candidates(ways)) > 1:
        best = ways[str(most)]
        yield (
            f"With the best of {most} by CLIP the share of words that hold changes by "
            f"{points(best[ALL].share - one[ALL].share)}"
            f"{unless_clear(best[ALL], one[ALL], ', no more than could be by chance')}."
        )


# What the words are worth.


def _word_attention(shares: Mapping[str, Mapping[str, Share]]) -> tuple[str, ...]:
    layout.heading("What is looking at the words worth?")
    titles = {name: f"words {name}" for name in WORD_ATTENTION}
    rows = [
        Scored(title, kind, shares[name][kind].share, shares[name][kind].error, shares[name][kind].asked)
        for kind in OF
        for name, title in titles.items()
        if kind in shares.get(name, {})
    ]
    table = pd.DataFrame(
        [(row.model, row.way, row.share, row.error, row.words) for row in rows],
        columns=["words", "kind", "share", "standard error", "asked"],
    )
    statements_chart(rows, table, name="painted-looks")
    st.caption(SECTION.text("What looking is worth"))
    return tuple(tell_word_attention(shares))


def tell_word_attention(shares: Mapping[str, Mapping[str, Share]]) -> Iterator[str]:
    """What is lost without the look at words, and for which kind most."""
    if not {AS_LEARNED, CUT, ALIKE} <= shares.keys():
        return
    learned, cut, alike = shares[AS_LEARNED], shares[CUT], shares[ALIKE]
    yield (
        f"With word attention cut **{cut[ALL].share:.0%}** of the words hold instead of {learned[ALL].share:.0%}"
        f"{unless_clear(learned[ALL], cut[ALL], ', which could be by chance')}; when every place takes the mean of all "
        f"words, {alike[ALL].share:.0%}{unless_clear(learned[ALL], alike[ALL], ' (by chance as well)')}."
    )
    lost = {
        kind: learned[kind].share - cut[kind].share
        for kind in OF[2:]
        if kind in learned and kind in cut and learned[kind].asked >= MANY
    }
    if lost:
        most = max(lost, key=lambda kind: lost[kind])
        if unless_clear(learned[most], cut[most], "unclear") or lost[most] < 0:
            yield "Of no kind of word is it clear that the cut costs it anything."
        else:
            yield f"The cut costs words of the kind “{most}” most: {points(-lost[most])}."


# Crowds.


def _crowds(crowds: Mapping[str, Crowd]) -> tuple[str, ...]:
    layout.heading("How near to true scenes, and how different?")
    data_table(crowds_table(crowds), hide_index=True, width="content")
    layout.caption(SECTION.text("Fréchet distance and diversity"))
    return tuple(tell_crowds(crowds))


def crowds_table(crowds: Mapping[str, Crowd]) -> pd.DataFrame:
    """A row for each way to make pictures."""
    return pd.DataFrame(
        [
            (title_of(name), crowd.pictures, f"{crowd.frechet:.3f}", f"{crowd.diversity:.3f}")
            for name, crowd in crowds.items()
        ],
        columns=["pictures by", "pictures", "Fréchet distance", "diversity"],
    )


def title_of(name: str) -> str:
    """A way to make pictures, in words."""
    return name if name in (DALLE, TRUE) else f"{PAINTER}, words {name}"


def tell_crowds(crowds: Mapping[str, Crowd]) -> Iterator[str]:
    """Which network comes nearer to true scenes, whose pictures differ more."""
    if not {AS_LEARNED, DALLE, TRUE} <= crowds.keys():
        return
    own, other, true = crowds[AS_LEARNED], crowds[DALLE], crowds[TRUE]
    nearer = {"less": "nearer to true scenes than", "more": "farther from true scenes than"}.get(
        compare(own.frechet, other.frechet, margin=ABOUT * other.frechet), "about as near to true scenes as"
    )
    yield (
        f"The attention GAN's pictures lie {nearer} DALL-E's: a Fréchet distance of **{own.frechet:.2f}** against "
        f"{other.frechet:.2f}; true scenes have {true.frechet:.2f} among themselves."
    )
    more = {"more": "more than", "less": "less than"}.get(
        compare(own.diversity, other.diversity, margin=ABOUT * other.diversity), "about as much as"
    )
    yield f"Its pictures of one sentence differ {more} DALL-E's: {own.diversity:.3f} against {other.diversity:.3f}."


def tell_painter(name: str, painter: PainterResult) -> str:
    """How large it is, and how long a picture takes."""
    text = (
        f"{ATTENTION_GANS[name]} has {painter.parameters:,} weights. On one thread a picture takes "
        f"{painter.seconds[1]:.2f} s, 16 at once {painter.seconds[16]:.2f} s."
    )
    if painter.own_name is not None:
        text += (
            f" CLIP finds {painter.own_name:.0%} of its pictures nearer to their own name than to another (chance 50%)."
        )
    return text
