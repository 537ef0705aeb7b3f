"""Agreement: several pictures against several sentences."""

from collections.abc import Iterator, Sequence
from functools import partial
from textwrap import wrap

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import theme, typeset
from dashboard.cache.models import clip
from dashboard.figures.heat import heat
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import PictureInput, truth_of
from dashboard.number_format import compare, signed
from dashboard.output import charts
from pages.words_and_pictures.clip import compute, inputs, words

COSINES = "cosines"
ACROSS = 28  # letters in a line of a sentence beside its row
HARDLY = 0.01  # of probability above an even share: up to here it is not sure
WIDE, WIDE_PRESENTED = 104, 180  # pixels of a picture: the first four in one row


def show() -> None:
    """Pictures, sentences, the matrix, the notes."""
    with layout.control_bar():
        world = inputs.world()
        name = inputs.network(world)
        pictures = inputs.several(world)
    model = clip(name)
    left, right = st.columns([2, 3], gap="large")
    with left:
        texts = inputs.sentences(world, pictures)
        inputs.say_unknown(model, texts)
        matrix_kind = controls.choice("Show", (COSINES, words.SENTENCES, words.PICTURES), key="matrix")
        temperature = st.slider(
            "Temperature",
            1.0,
            100.0,
            float(round(model.temperature)),
            1.0,
            format="%.0f",
            key="temperature",
            bind="query-params",
            help=words.TEMPERATURE_HELP.format(learned=model.temperature),
            disabled=matrix_kind == COSINES,
        )
    with right:
        with layout.waiting_place():
            scores = compute.cosines(name, pictures, texts)
        _pictures(name, pictures)
        _matrix(scores, matrix_kind, temperature, texts)
    layout.notes(
        words.AGREEMENT_NOTES,
        notice=noticed(scores, texts, pictures, temperature),
        formula=lambda: _formula(scores, temperature),
    )


def _pictures(name: str, pictures: Sequence[PictureInput]) -> None:
    width = WIDE_PRESENTED if theme.is_presented() else WIDE
    with st.container(horizontal=True):  # on a phone two beside one another, where columns would be one below another
        for number, picture in enumerate(pictures):
            st.image(
                compute.prepare(name, picture).photograph,
                caption=f"{number + 1}",
                width=width,
                alt=f"Picture {number + 1}",
            )


def _matrix(scores: np.ndarray, matrix_kind: str, temperature: float, texts: Sequence[str]) -> None:
    values = (
        scores if matrix_kind == COSINES else compute.shares(scores, temperature, int(matrix_kind == words.SENTENCES))
    )
    unit = "%{z:.2f}" if matrix_kind == COSINES else "%{z:.1%}"
    look = theme.look()
    rows = [wrap(text, ACROSS, max_lines=3, placeholder=" …") for text in texts]
    figure = partial(
        heat,
        values.T,
        look=look,
        x="picture",
        y="",
        rows=["\n".join(lines) for lines in rows],
        columns=[str(number + 1) for number in range(len(scores))],
        limits=None if matrix_kind == COSINES else (0.0, 1.0),
        tell=f"“%{{y}}”, picture %{{x}}: {unit}",
        height=look.high(90 + max(34, *(18 * len(lines) for lines in rows)) * len(texts)),
    )
    table = pd.DataFrame(values.T, columns=[f"picture {number + 1}" for number in range(len(scores))])
    table.insert(0, "sentence", list(texts))
    alt = (
        f"{matrix_kind.capitalize()}: a row for each of {len(texts)} sentences, "
        f"a column for each of {len(scores)} pictures"
    )
    charts.chart(figure, name="clip-matrix", alt=alt, table=table)


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
            f"At temperature {temperature:.0f} it is not sure of any picture: no sentence takes more than {most:.0%}, "
            f"and an even share would be {even:.0%}."
        )
        return
    yield (
        f"At temperature {temperature:.0f} it is surest of picture {row + 1}: one sentence takes {most:.0%} there; an "
        f"even share would be {even:.0%}."
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
            "For one scene some sentences are true and some are not: it prefers one that is "
            f"{'true' if right else 'not'}; a blind choice would be right with {blind:.0%}."
        )
        return
    yield (
        f"Of {len(mixed_rows)} scenes some sentences are true and some are not: for {right} of them it prefers a true "
        f"one; by chance it would be {blind:.1f}."
    )


def _tell_range(scores: np.ndarray) -> Iterator[str]:
    low, high = signed(float(scores.min())), signed(float(scores.max()))
    if scores.size == 1:
        return
    if low == high:
        yield f"All cosines are {low}: it tells nothing apart here."
        return
    yield f"The cosines lie between {low} and {high}; 1 would be the same direction."


def _formula(scores: np.ndarray, temperature: float) -> None:
    st.latex(
        r"\begin{gathered} s_{ij} = \frac{I_i \cdot T_j}{\lVert I_i \rVert \lVert T_j \rVert} \\ p(j \mid i) = "
        r"\operatorname{softmax}_j(\tau s_{ij}) \\ p(i \mid j) = \operatorname{softmax}_i(\tau s_{ij}) \end{gathered}"
    )
    chances = compute.shares(scores, temperature, 1)
    st.markdown(
        f"For picture 1 and the first sentence: $s = {scores[0, 0]:.3f}$, $\\tau = {temperature:.0f}$, "
        f"$p = {chances[0, 0]:.3f}$ among {scores.shape[1]} sentences."
    )
