"""Measured of DALL-E: whether drawings hold what was said, and what the codes lose."""

from collections.abc import Iterator, Mapping

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.results import dalle_results
from core.results.dalle_results import (
    ALL,
    CHANCE,
    DIRECT,
    OF,
    THROUGH,
    WHOLE_SENTENCE,
    CoderResult,
    DrawerResult,
    Results,
    Share,
)
from core.zoo.dalles import CODERS, DALLES
from dashboard.cache.memo import cached
from dashboard.frame import layout
from dashboard.inputs.picture_input import SPLITS
from dashboard.number_format import points
from dashboard.output.data_table import data_table
from pages.words_and_pictures.generation import measured_statements
from pages.words_and_pictures.generation.codes import decibels
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

SECTION = PAGE.section("Measured: DALL-E")
PLACES = 256  # codes of a picture

measured = cached()(dalle_results.results)


def show(bar: DeltaGenerator) -> None:
    """What holds by kind, what candidates bring, what the codes lose."""
    results = measured()
    sentences: list[str] = []
    if results.held:
        sentences += _held(results, bar)
    else:
        st.info(PAGE.text("Without the scene reader"), icon=":material/info:")
    sentences += _coders(results)
    sentences += [tell_drawer(name, drawer) for name, drawer in results.drawers.items()]
    word_count = next((shares[ALL].asked for ways in results.held.values() for shares in ways.values()), 0)
    layout.notes(SECTION, notice=tuple(sentences), numbers={"words": word_count, "direct": DIRECT})


# What holds in drawings.


def _held(results: Results, bar: DeltaGenerator) -> tuple[str, ...]:
    split = split_of(results.held, bar)
    ways = results.held[split]
    best = most_candidates(ways)
    way_titles = {"1": "one drawing", str(best): f"best of {best} by CLIP"} | BOUNDS
    statements_chart(scored_of(ways, way_titles), table_of(results.held), name="drawn-statements")
    layout.place_notice()
    layout.caption(SECTION.text("Words that hold"))
    candidates_chart(ways)
    return (
        *tell_held(ways, SPLITS[split]),
        *tell_pairs(results.held),
        *tell_reader(measured_statements.reader(), split),
    )


def tell_held(ways: Mapping[str, Mapping[str, Share]], title: str) -> Iterator[str]:
    """What holds in one drawing beside chance and what is reachable, what the choice brings, the hardest kind."""
    one, by_chance, through = (ways[way] for way in ("1", CHANCE, THROUGH))
    yield (
        f"In one drawing **{one[ALL].share:.0%}** of the words hold ({title}); by chance {by_chance[ALL].share:.0%}"
        f"{unless_clear(one[ALL], by_chance[ALL], ', from which it cannot be told apart')}; {through[ALL].share:.0%} "
        f"in the true scene after its way through the codes. Whole sentences: {one[WHOLE_SENTENCE].share:.0%}, "
        f"{by_chance[WHOLE_SENTENCE].share:.0%}, {through[WHOLE_SENTENCE].share:.0%}."
    )
    most = max(int(way) for way in ways if way.isdecimal())
    if most > 1:
        best = ways[str(most)]
        for kind, what in ((ALL, "words"), (WHOLE_SENTENCE, "whole sentences")):
            yield (
                f"With the best of {most} by CLIP the share of {what} that hold changes by "
                f"{points(best[kind].share - one[kind].share)}"
                f"{unless_clear(best[kind], one[kind], ', no more than could be by chance')}."
            )
    kinds = {
        kind: one[kind].share - by_chance[kind].share
        for kind in OF[2:]
        if kind in one and kind in by_chance and one[kind].asked >= MANY
    }
    if len(kinds) > 1:
        low, high = min(kinds, key=lambda kind: kinds[kind]), max(kinds, key=lambda kind: kinds[kind])
        yield (
            f"Beside chance it does best for words of the kind “{high}” ({points(kinds[high])}), worst for “{low}” "
            f"({points(kinds[low])})."
        )


def tell_pairs(held: Mapping[str, Mapping[str, Mapping[str, Share]]]) -> Iterator[str]:
    """New sentences beside pairs of colour and shape that were never joined."""
    if not {"test", "pairs"} <= held.keys():
        return
    known, new = held["test"]["1"][ALL], held["pairs"]["1"][ALL]
    gap = known.share - new.share
    if unless_clear(known, new, "unclear"):
        yield "Whether pairs of colour and shape that were never joined are harder cannot be decided from so few words."
        return
    yield (
        f"Where a colour and a shape are named that were never joined, {new.share:.0%} of the words hold in one "
        f"drawing, {'fewer' if gap > 0 else 'more'} than the {known.share:.0%} of new scenes."
    )


# What the codes lose.


def _coders(results: Results) -> tuple[str, ...]:
    layout.heading("What do the codes lose?")
    data_table(coders_table(results.coders), hide_index=True, width="content")
    layout.caption(SECTION.text("Errors of the autoencoders"))
    return tuple(tell_coders(results.coders))


def coders_table(coders: Mapping[str, CoderResult]) -> pd.DataFrame:
    """A row for each autoencoder."""
    return pd.DataFrame(
        [
            (
                CODERS[name],
                coder.pictures,
                f"{coder.error:.5f}",
                decibels(coder.error),
                f"{coder.plain_error:.4f}",
                f"{coder.used} of {coder.codes}",
                f"{coder.perplexity:.0f}",
            )
            for name, coder in coders.items()
        ],
        columns=["codes chosen by", "pictures", "error", "in decibels", "mean colour", "used", "as if alike"],
    )


def tell_coders(coders: Mapping[str, CoderResult]) -> Iterator[str]:
    """Which autoencoder loses less; where there is one, what it loses."""
    first, *_ = coders.values()
    pair = [(name, coder) for name, coder in coders.items() if name != "emoji"]
    if len(pair) == 2:
        (better, low), (worse, high) = sorted(pair, key=lambda named_coder: named_coder[1].error)
        yield (
            f"**{CODERS[better]}** misses held-out scenes by {low.error:.5f} with {low.used} codes in use, "
            f"{CODERS[worse]} by {high.error:.5f} with {high.used}."
        )
    else:
        share = first.error / first.plain_error
        yield f"Held-out pictures are missed by {first.error:.5f}, {share:.1%} of what the mean colour would miss."


def tell_drawer(name: str, drawer: DrawerResult) -> str:
    """What the sentence is worth for the codes, and how long a picture takes."""
    worth, seconds = PLACES * (drawer.bits_other - drawer.bits), drawer.seconds
    tells = f"the sentence tells {worth:.1f} bits of a picture" if worth >= 0.05 else "the sentence tells nothing"
    text = (
        f"{DALLES[name]} needs {drawer.bits:.3f} bits for each code of a held-out picture with its own sentence, "
        f"{drawer.bits_other:.3f} with another's: over {PLACES} codes {tells}. On one thread a picture takes "
        f"{seconds[1]:.1f} s, 16 at once {seconds[16]:.1f} s."
    )
    if drawer.own_name is not None:
        text += (
            f" CLIP finds {drawer.own_name:.0%} of its drawings nearer to their own name than to another (chance 50%)."
        )
    return text
