"""Shuffle the tokens: are the results the same vectors in another order?"""

from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
import pandas as pd
import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from core.models.gpt import GPT
from core.order.permutation import ModelParts, Shuffled, compare, shuffle, split_gpt, split_vit
from dashboard import theme
from dashboard.cache.models import text_model
from dashboard.figures.mosaic import rearranged
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.photograph import Photograph
from dashboard.number_format import small
from dashboard.output import charts
from dashboard.theme import HUES
from pages.foundations.order import order_controls as choose
from pages.foundations.order.figures import strips
from pages.foundations.order.prose import PAGE

SECTION = PAGE.section("Shuffle")
SENTENCE, PHOTOGRAPH = "A sentence", "A photograph"
PICTURE_MODEL = "vit-tiny-imagenet"
PARTS = ("Self-attention", "Whole layer", "All layers")
NAMES = dict(zip(PARTS, ("self-attention", "a whole layer", "all layers together"), strict=True))
NOTHING, POSITIONS, MASK = SOURCES = ("Nothing", "Positions", "Causal mask")  # what tells the places apart
CHANNELS = 48  # shown of each vector: those in which the tokens differ most
WORD_HUES = HUES[:6]  # the yellow cannot be read as a letter
SAME = 1e-5  # of the largest number: a smaller difference is the rounding of float32
LARGEST_SEED = 999

Results = dict[str, Shuffled]  # by what tells the places apart


@dataclass(frozen=True)
class Subject:
    """What is shuffled, and what its tokens are called; a picture's patches have no names."""

    taken: ModelParts
    labels: tuple[str, ...] | None
    picture: np.ndarray | None = None
    grid: tuple[int, int] = (0, 0)


def show() -> None:
    """A sentence or a photograph, the vectors that a part of a model makes of it before and after a shuffle."""
    layout.prose(SECTION.text("Lead"))
    with layout.control_bar():
        row = st.container(horizontal=True, vertical_alignment="bottom")  # its place is the same for both subjects
        source = st.selectbox("Told the order by", SOURCES, key="told", bind="query-params", width=150)
        st.button("Shuffle again", icon=":material/shuffle:", on_click=_next)
        menu = layout.settings()
    messages = st.container(gap=None)
    with menu:
        what = controls.choice("Shuffle", [SENTENCE, PHOTOGRAPH], key="shuffled")
        part = controls.choice("What is computed", PARTS, key="part")
        with row:
            subject = _sentence(messages) if what == SENTENCE else _photograph()
        taken = subject.taken
        with st.container(gap=None):
            layer = controls.number("Layer", len(taken.blocks), key="layer") if part != PARTS[2] else 0
        seed = int(controls.number_box("Order number", 0, LARGEST_SEED, 0, key="seed", width=130))
    order = shuffle(len(taken.content), seed, fixed=taken.fixed)
    if len(order) - taken.fixed < 2:
        st.info("One token alone has no order: type a few more words.", icon=":material/info:")
        return
    if subject.picture is not None:
        _pictures(subject.picture, subject.grid, order[taken.fixed :].numpy() - taken.fixed)
    results = {name: {way: run(taken, name, layer, way, order) for way in SOURCES} for name in PARTS}
    _figure(subject, results[part][source])
    layout.place_notice()
    _caption(results[part][source])
    st.markdown(_table(results, layer))
    layout.notes(
        SECTION,
        notice=notices(results[part], NAMES[part], subject.labels, taken.content),
        numbers={
            "plain": _latex(results[part][NOTHING].largest),
            "placed": _latex(results[part][POSITIONS].largest),
        },
    )


def _sentence(messages: DeltaGenerator) -> Subject:
    tokens = choose.sentence(messages)
    network = cast(GPT, text_model(choose.MODEL).network)
    return Subject(split_gpt(network, torch.tensor(tokens.ids)), tuple(choose.names(tokens)))


def _photograph() -> Subject:
    photograph = Photograph(PICTURE_MODEL, controls.picture(), None)
    prepared = photograph.prepared
    grid = (prepared.patches.rows, prepared.patches.columns)
    return Subject(split_vit(photograph.model.network, prepared.pixels), None, prepared.photograph, grid)


def _next() -> None:
    st.session_state.seed = (st.session_state.get("seed", 0) + 1) % (LARGEST_SEED + 1)


def run(taken: ModelParts, part: str, layer: int, source: str, order: torch.Tensor) -> Shuffled:
    """One of PARTS on the tokens as they stand and in this order, their places told in one of the ways of SOURCES."""
    function = {PARTS[0]: taken.attention[layer], PARTS[1]: taken.blocks[layer], PARTS[2]: taken.all_layers}[part]
    positions = taken.positions if source == POSITIONS else None
    return compare(function, taken.content, order, positions=positions, causal=source == MASK)


def _pictures(picture: np.ndarray, grid: tuple[int, int], order: np.ndarray) -> None:
    before, after, _ = st.columns([1, 1, 1.4])
    before.image(rearranged(picture, *grid, np.arange(len(order))), "In order", width="stretch")
    after.image(rearranged(picture, *grid, order), "Shuffled", width="stretch")


def _figure(subject: Subject, result: Shuffled) -> None:
    width = result.before.shape[1]
    channels = result.before.std(dim=0).topk(min(CHANNELS, width)).indices.sort().values
    # What all tokens have in common would hide what is each one's own.
    common = result.before.mean(dim=0)
    before, after = ((vectors - common)[:, channels].numpy() for vectors in (result.before, result.after))
    names = subject.labels or tuple(map(str, range(len(before))))
    distinct = list(dict.fromkeys(names))
    order = result.order.tolist()
    figure = partial(
        strips,
        before,
        after,
        order,
        labels=subject.labels,
        hues=[WORD_HUES[distinct.index(name) % len(WORD_HUES)] for name in names],
        look=theme.look(),
        titles=("f(x)", "f(P x)", "f(P x) − P f(x)"),
        limit=float(np.quantile(np.abs(before), 0.99)) or 1.0,
    )
    table = pd.DataFrame(
        {
            "place": range(len(names)),
            "token before": names,
            "token after": [names[token] for token in order],
            "stood at": order,
            "largest difference": result.difference.abs().amax(dim=1).numpy(),
        }
    )
    charts.chart(
        figure,
        name="order-shuffle",
        alt="The output vector of each token as a strip, before and after the shuffle, with lines from where each "
        f"token stood to where it stands. The largest difference is {small(result.largest)}.",
        table=table,
    )


def _caption(result: Shuffled) -> None:
    """What a strip is, and what the third map shows."""
    width = result.before.shape[1]
    channels, largest = min(CHANNELS, width), small(result.largest)
    layout.caption(SECTION.text("Strips", channels=channels, width=width, largest=largest))


def tells_places_apart(result: Shuffled) -> bool:
    """Whether f(P x) and P f(x) differ by more than rounding."""
    return result.largest > SAME * result.before.abs().max().item()


def _table(results: dict[str, Results], layer: int) -> str:
    """The largest differences of every part, told in every way; bold what is more than rounding."""
    lines = ["| largest difference | " + " | ".join(SOURCES) + " |", "|:--|" + "--:|" * len(SOURCES)]
    for part in PARTS:
        row = [results[part][source] for source in SOURCES]
        cells = [
            f"**{small(result.largest)}**" if tells_places_apart(result) else small(result.largest) for result in row
        ]
        name = part if part == PARTS[2] else f"{part}, layer {layer}"
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def notices(results: Results, part: str, labels: tuple[str, ...] | None, content: torch.Tensor) -> tuple[str, ...]:
    """What the differences say, and what becomes of a word that stands at two places.

    `labels` and `content` (token, width) are those before the shuffle; a picture has no labels.
    """
    nothing, positions, mask = (results[source].largest for source in SOURCES)
    thing = "picture" if labels is None else "sentence"
    if not tells_places_apart(results[NOTHING]):
        sentences = [
            f"Without positions, shuffling only reorders the results of {part}: no number differs by more than "
            f"**{small(nothing)}**, which is the rounding of 32-bit numbers. To {part} a {thing} is a set."
        ]
    else:
        sentences = [f"Without positions and mask the results of {part} still differ by up to **{small(nothing)}**."]
    tells = {
        (True, True): "each of them tells the places apart. A mask is a kind of order: the first token sees one, the "
        "second sees two.",
        (True, False): "here only positions tell the places apart.",
        (False, True): "here only the mask tells the places apart.",
        (False, False): "here neither tells the places apart.",
    }[tells_places_apart(results[POSITIONS]), tells_places_apart(results[MASK])]
    sentences.append(
        f"With positions the largest difference is **{small(positions)}**, with the causal mask alone "
        f"**{small(mask)}**: {tells}"
    )
    if labels is not None and (twice := repeated(labels, content)):
        first, second = twice
        gap, placed = (
            (results[source].before[first] - results[source].before[second]).abs().max().item()
            for source in (NOTHING, POSITIONS)
        )
        scale = SAME * results[NOTHING].before.abs().max().item()
        plain = (
            f"both get the same vector (difference {small(gap)}): the vector alone does not tell which of them did what"
            if gap <= scale
            else f"their vectors differ by {small(gap)}"
        )
        sentences.append(
            f"{choose.quoted(labels[first])} stands at places {first} and {second}, counted from 0. Without positions "
            f"{plain}. With positions they differ by {small(placed)}."
        )
    return tuple(sentences)


def repeated(labels: tuple[str, ...], content: torch.Tensor) -> tuple[int, int] | None:
    """The first token that stands at two places, and both places; words before anything else."""
    for words_only in (True, False):
        for place, label in enumerate(labels):
            if words_only and len(label) < 3:
                continue
            later = (content[place + 1 :] == content[place]).all(dim=1).nonzero()
            if len(later):
                return place, place + 1 + int(later[0])
    return None


def _latex(value: float) -> str:
    if value == 0 or value >= 0.001:
        return f"{value:.2g}"
    digits, _, power = f"{value:.1e}".partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"
