"""Search: a sentence over emoji, scenes or photographs, nearest first."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import theme, typeset
from dashboard.cache.models import clip
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput
from dashboard.number_format import signed
from dashboard.output import charts
from pages.words_and_pictures.clip import compute, inputs
from pages.words_and_pictures.clip.prose import PAGE

SECTION = PAGE.section("Search")
TOP, FIRST = 24, 6  # pictures; of these the first row
WIDE, WIDE_PRESENTED = 130, 280  # pixels of a picture: a first row on a desk, and on a projector
TRUTHS = {True: " · true", False: " · not true", None: ""}
EXAMPLES = {world: example_texts.examples(f"search-{name}") for world, name in inputs.WORLDS.items()}


def show() -> None:
    """The sentence, the pictures that are nearest to it."""
    bar = layout.control_bar()
    messages = st.container(gap=None)
    with bar:
        world = controls.choice("World", (EMOJI, SCENES, PHOTOGRAPHS), key="search_world")
        field = f"search_{inputs.WORLDS[world]}"
        first = example_texts.opening(f"search-{inputs.WORLDS[world]}")
        text = st.text_input("Search for", first, key=field, bind="query-params", max_chars=300)
        controls.examples(EXAMPLES[world], field=field)
        name = inputs.settings_of_network(world, messages)
    with layout.waiting_place():
        corpus = compute.corpus(name)
        scores = (corpus.vectors @ compute.text_vector(name, text)).numpy()
    order = scores.argsort()[::-1][:TOP]
    known = compute.truths(name, text)
    truths = [known[place] for place in order]
    captions = [
        f"{corpus.titles[place]} {signed(scores[place])}{TRUTHS[truth]}".strip()
        for place, truth in zip(order, truths, strict=True)
    ]
    nearest = [(corpus.pictures[place], caption) for place, caption in zip(order, captions, strict=True)]
    _row(nearest[:FIRST], 0)
    layout.place_notice()
    _row(nearest[FIRST:], FIRST)
    inputs.say_unknown(clip(name), [text])
    table = pd.DataFrame(
        {
            "rank": range(1, len(order) + 1),
            "cosine": scores[order],
            "picture": [corpus.titles[place] or str(corpus.pictures[place].picture) for place in order],
        }
    )
    charts.download_table(table, "clip-search")
    layout.notes(
        SECTION,
        notice=(
            *noticed(scores, truths, [corpus.titles[place] for place in order], text, known),
            *_tell_learned([corpus.learned[place] for place in order], world),
        ),
        numbers={"pictures": len(scores)},
    )


def _row(pictures: Sequence[tuple[PictureInput, str]], before: int) -> None:
    """Pictures beside one another, each with its caption; so many stand before the first."""
    with st.container(horizontal=True, gap="small"):
        for rank, (picture, caption) in enumerate(pictures, start=before + 1):
            drawing = picture.for_display()
            st.image(
                picture.opened() if drawing is None else drawing,
                caption=caption,
                width=WIDE_PRESENTED if theme.is_presented() else WIDE,
                alt=f"Found picture {rank}: {caption}",
            )


def noticed(
    scores: np.ndarray, truths: Sequence[bool | None], titles: Sequence[str], text: str, known: Sequence[bool | None]
) -> tuple[str, ...]:
    """How far the first is from the others, and how many of the first are true; `known`: the truths of all."""
    order = np.sort(scores)[::-1]
    first, *others = map(signed, order.tolist())
    sentences = []
    if titles and titles[0]:
        sentences.append(
            f"**{typeset.plain(titles[0])}** is the nearest of {len(scores):,} pictures, with a cosine of {first}."
        )
    else:
        sentences.append(f"The nearest of {len(scores):,} pictures has a cosine of {first}.")
    if others and first == others[-1]:
        sentences.append("All others have the same: the model tells no picture from another here.")
    elif others:
        second = "The second has the same" if first == others[0] else f"The second has {others[0]}"
        sentences.append(
            f"{second}, the median of all is {signed(float(np.median(scores)))}, the last has {others[-1]}."
        )
    top_truths, all_truths = ([truth for truth in several if truth is not None] for several in (truths, known))
    if top_truths and not any(all_truths):
        sentences.append(f"“{typeset.plain(text)}” is true of none of the {len(all_truths)} scenes.")
    elif top_truths:
        sentences.append(
            f"“{typeset.plain(text)}” is true of **{sum(top_truths)}** of the first {len(top_truths)} scenes and of "
            f"{sum(all_truths)} of all {len(all_truths)}; a random choice of {len(top_truths)} would have "
            f"{len(top_truths) * sum(all_truths) / len(all_truths):.1f}."
        )
    return tuple(sentences)


def _tell_learned(learned: Sequence[bool], world: str) -> Iterator[str]:
    if world == EMOJI:
        yield (
            f"Of the {len(learned)} that are shown the network learned from {sum(learned)} and their names; one in ten "
            "of all emoji was held out."
        )
