"""Agreement: several pictures against several sentences."""

from collections.abc import Iterator, Sequence
from functools import partial
from textwrap import wrap

import numpy as np
import pandas as pd
import streamlit as st

from core.view.codec import picture_address
from dashboard import theme, typeset
from dashboard.cache.models import clip
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import PictureInput, truth_of
from dashboard.number_format import compare, signed
from dashboard.output import charts
from pages.words_and_pictures.clip import compute, inputs
from pages.words_and_pictures.clip.figures import THUMB, agreement_matrix
from pages.words_and_pictures.clip.prose import PAGE

SECTION = PAGE.section("Agreement")
COSINES, PICTURES, SENTENCES = "cosines", "of pictures for each sentence", "of sentences for each picture"
HARDLY = 0.01  # of probability above an even share: up to here it is not sure
ACROSS = 28  # letters in a line of a sentence beside its row


def show() -> None:
    """Pictures, sentences, the matrix, the notes."""
    bar = layout.control_bar()
    messages = st.container(gap=None)
    with bar:
        world = inputs.world()
        pictures = inputs.several(world)
        text = inputs.sentences(world, pictures)
        with layout.settings():
            name = inputs.network(world, messages)
            matrix_kind = controls.choice("Show", (COSINES, SENTENCES, PICTURES), key="matrix")
            learned = clip(name).temperature
            temperature = st.slider(
                "Temperature",
                1.0,
                100.0,
                float(round(learned)),
                1.0,
                format="%.0f",
                key="temperature",
                bind="query-params",
                help=SECTION.text("Temperature", learned=learned),
            )
    texts = inputs.lines_of(text, pictures)
    with layout.waiting_place():
        scores = compute.cosines(name, pictures, texts)
        photographs = [compute.prepare(name, picture).photograph for picture in pictures]
    _matrix(scores, matrix_kind, temperature, texts, photographs)
    layout.place_notice()
    layout.caption(SECTION.text(f"Ink: {matrix_kind}", temperature=temperature))
    inputs.say_unknown(clip(name), texts)
    layout.notes(
        SECTION,
        notice=noticed(scores, texts, pictures, temperature),
        numbers={
            "cosine": scores[0, 0],
            "temperature": temperature,
            "share": compute.shares(scores, temperature, 1)[0, 0],
            "sentences": len(texts),
        },
    )


def _matrix(
    scores: np.ndarray, matrix_kind: str, temperature: float, texts: Sequence[str], photographs: Sequence[np.ndarray]
) -> None:
    by_picture = matrix_kind == SENTENCES
    ink = compute.shares(scores, temperature, int(by_picture))
    numbers = scores if matrix_kind == COSINES else ink
    figure = partial(
        agreement_matrix,
        [[signed(float(number)) if numbers is scores else f"{number:.0%}" for number in row] for row in numbers.T],
        ink.T,
        ["\n".join(wrap(text, ACROSS, max_lines=3, placeholder=" …")) for text in texts],
        [picture_address(photograph, side=THUMB) for photograph in photographs],
        best=best_cells(scores, by_picture=by_picture),
        look=theme.look(),
    )
    table = pd.DataFrame(numbers.T, columns=[f"picture {number + 1}" for number in range(len(scores))])
    table.insert(0, "sentence", list(texts))
    alt = (
        f"{matrix_kind.capitalize()}: a row for each of {len(texts)} sentences, a column for each of {len(scores)} "
        "pictures"
    )
    charts.chart(figure, name="clip-matrix", alt=alt, table=table)


def best_cells(scores: np.ndarray, *, by_picture: bool) -> tuple[tuple[int, int], ...]:
    """The cells, as (sentence, picture), of the best picture for each sentence or the best sentence for each picture.

    () where there is nothing to choose from.
    """
    if scores.shape[int(by_picture)] < 2:
        return ()
    if by_picture:
        return tuple((int(row.argmax()), picture) for picture, row in enumerate(scores))
    return tuple((text, int(column.argmax())) for text, column in enumerate(scores.T))


def noticed(
    scores: np.ndarray, texts: Sequence[str], pictures: Sequence[PictureInput], temperature: float
) -> tuple[str, ...]:
    """Which go together, how sure the network is, and whether what it prefers is true."""
    parts = (
        _tell_best(scores, texts),
        _tell_sure(scores, temperature),
        _tell_true(scores, texts, pictures),
        _tell_range(scores),
        inputs.tell_learned(pictures),
    )
    return tuple(sentence for part in parts for sentence in part)


def _tell_best(scores: np.ndarray, texts: Sequence[str]) -> Iterator[str]:
    """The pair with the largest cosine; how many others have the same to two digits."""
    picture, text = divmod(int(scores.argmax()), scores.shape[1])
    named, best = f"Picture {picture + 1} and **“{typeset.plain(texts[text])}”**", signed(float(scores.max()))
    if scores.size == 1:
        yield f"{named} have a cosine of **{best}**; 1 would be the same direction."
        return
    same = sum(signed(float(score)) == best for score in scores.flat) - 1
    others = f", and so do {same} other pairs" if same > 1 else ", and so does one other pair" if same else ""
    yield f"{named} agree best, with a cosine of **{best}**{others}."


def _tell_sure(scores: np.ndarray, temperature: float) -> Iterator[str]:
    """Of which picture the network is surest, where it is clearly surer than an even share."""
    if scores.shape[1] < 2:
        return
    chances, even = compute.shares(scores, temperature, 1), 1 / scores.shape[1]
    row, most = int(chances.max(axis=1).argmax()), float(chances.max())
    if compare(most, even, margin=HARDLY) != "more":
        yield (
            f"At temperature {temperature:.0f} no picture clearly prefers a sentence: none gets more than {most:.0%}, "
            f"and an even share would be {even:.0%}."
        )
        return
    yield (
        f"At temperature {temperature:.0f} the model is surest of picture {row + 1}: one sentence gets {most:.0%} of "
        f"the probability; an even share would be {even:.0%}."
    )


def _tell_true(scores: np.ndarray, texts: Sequence[str], pictures: Sequence[PictureInput]) -> Iterator[str]:
    """In the drawn world: for how many scenes the sentence it prefers is true, beside a blind choice."""
    known = [[truth_of(picture, text) for text in texts] for picture in pictures]
    mixed_rows = [number for number, row in enumerate(known) if True in row and False in row]
    if not mixed_rows:
        return
    right = sum(known[number][int(scores[number].argmax())] is True for number in mixed_rows)
    blind = sum(known[number].count(True) / len(texts) for number in mixed_rows)
    if len(mixed_rows) == 1:
        yield (
            f"For the one scene with true and false sentences, the model prefers a {'true' if right else 'false'} "
            f"one; a random choice would be true with {blind:.0%}."
        )
        return
    yield (
        f"For {right} of the {len(mixed_rows)} scenes with true and false sentences, the model prefers a true one; a "
        f"random choice would be true for {blind:.1f}."
    )


def _tell_range(scores: np.ndarray) -> Iterator[str]:
    low, high = signed(float(scores.min())), signed(float(scores.max()))
    if scores.size == 1:
        return
    if low == high:
        yield f"All cosines are {low}: the model tells no pair from another here."
        return
    yield f"The cosines lie between {low} and {high}; 1 would be the same direction."
