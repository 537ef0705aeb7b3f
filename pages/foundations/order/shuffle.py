"""Shuffle the tokens: are the results the same vectors in another order?"""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.models.gpt import GPT
from core.order.permutation import Shuffled, Taken, compare, shuffle, take_gpt, take_vit
from dashboard import charts, controls, layout
from dashboard.figures.mosaic import rearranged
from dashboard.models import image_model, text_model
from dashboard.numbers import small
from dashboard.theme import HUES
from dashboard.watched import prepare
from pages.foundations.order import inputs
from pages.foundations.order.figures_strips import strips
from pages.foundations.order.words import SHUFFLE

SENTENCE, PHOTOGRAPH = "A sentence", "A photograph"
PICTURE_MODEL = "vit-tiny-imagenet"
PARTS = ("Self-attention", "Whole layer", "All layers")
NAMES = dict(zip(PARTS, ("self-attention", "a whole layer", "all layers together"), strict=True))
TOLD = ("Nothing", "Positions", "Causal mask")  # what tells the places apart
CHANNELS = 48  # shown of each vector: those in which the tokens differ most
WORD_HUES = HUES[:6]  # the yellow cannot be read as a letter
SAME = 1e-4  # below it two numbers are the same up to the rounding of float32
LARGEST_SEED = 999


@dataclass(frozen=True)
class Given:
    """What is shuffled, and what its tokens are called; a picture's patches have no names."""

    taken: Taken
    labels: tuple[str, ...] | None
    picture: np.ndarray | None = None
    grid: tuple[int, int] = (0, 0)


def show() -> None:
    """The whole part of the page."""
    inputs.lead(SHUFFLE)
    with layout.control_bar():
        what = inputs.choice("Shuffle", [SENTENCE, PHOTOGRAPH], key="shuffled")
        given = _sentence() if what == SENTENCE else _photograph()
        seed = _seed()
    with layout.control_bar():
        part = inputs.choice("What is computed", list(PARTS), key="part")
        layer = inputs.number("Layer", len(given.taken.blocks), key="layer") if part != PARTS[2] else 0
        told = inputs.choice("Told the order by", list(TOLD), key="told")
        order = shuffle(len(given.taken.content), seed, fixed=given.taken.fixed)
    if len(order) - given.taken.fixed < 2:
        st.info("One token alone has no order: type a few more words.", icon=":material/info:")
        return
    if given.picture is not None:
        _pictures(given, order)
    results = {name: {way: _run(given.taken, name, layer, way, order) for way in TOLD} for name in PARTS}
    _figure(given, results[part][told])
    st.markdown(_table(results, layer))
    layout.notes(SHUFFLE, notice=notices(given, results, part), formula=lambda: _formula(results[part]))


def _sentence() -> Given:
    tokens = inputs.sentence()
    network = cast(GPT, text_model(inputs.MODEL).network)
    return Given(take_gpt(network, torch.tensor(tokens.ids)), tuple(inputs.words(tokens)))


def _photograph() -> Given:
    chosen = controls.picture()
    model = image_model(PICTURE_MODEL)
    prepared = prepare(PICTURE_MODEL, chosen, None)
    grid = (prepared.patches.rows, prepared.patches.columns)
    return Given(take_vit(model.network, prepared.pixels), None, prepared.shown, grid)


def _seed() -> int:
    """Which of the many orders; the button takes the next one."""
    seed = int(st.number_input("Order number", 0, LARGEST_SEED, 0, key="seed", bind="query-params", width=130))
    st.button("Shuffle again", icon=":material/shuffle:", on_click=_next)
    return seed


def _next() -> None:
    st.session_state.seed = (st.session_state.get("seed", 0) + 1) % (LARGEST_SEED + 1)


def _run(taken: Taken, part: str, layer: int, told: str, order: torch.Tensor) -> Shuffled:
    function = {PARTS[0]: taken.attention[layer], PARTS[1]: taken.blocks[layer], PARTS[2]: taken.whole}[part]
    places = taken.places if told == TOLD[1] else None
    return compare(function, taken.content, order, places=places, causal=told == TOLD[2])


def _pictures(given: Given, order: torch.Tensor) -> None:
    assert given.picture is not None
    rows, columns = given.grid
    patches = order[given.taken.fixed :].numpy() - given.taken.fixed
    before, after, _ = st.columns([1, 1, 1.4])
    before.image(rearranged(given.picture, rows, columns, np.arange(rows * columns)), "In order", width="stretch")
    after.image(rearranged(given.picture, rows, columns, patches), "Shuffled", width="stretch")


def _figure(given: Given, result: Shuffled) -> None:
    channels = result.before.std(dim=0).topk(min(CHANNELS, result.before.shape[1])).indices.sort().values
    # What all tokens have in common would hide what is each one's own.
    common = result.before.mean(dim=0)
    before, after = ((vectors - common)[:, channels].numpy() for vectors in (result.before, result.after))
    names = given.labels or tuple(map(str, range(len(before))))
    distinct = list(dict.fromkeys(names))
    figure = strips(
        before,
        after,
        result.order.tolist(),
        labels=given.labels,
        hues=[WORD_HUES[distinct.index(name) % len(WORD_HUES)] for name in names],
        look=layout.look(),
        titles=("f(x)", "f(P x)", "f(P x) − P f(x)"),
        limit=float(np.quantile(np.abs(before), 0.99)) or 1.0,
    )
    difference = result.difference.abs().amax(dim=1).numpy()
    table = pd.DataFrame(
        {
            "place": range(len(names)),
            "token before": names,
            "token after": [names[token] for token in result.order.tolist()],
            "stood at": result.order.numpy(),
            "largest difference": difference,
        }
    )
    charts.chart(
        figure,
        name="order-shuffle",
        alt="The output vector of each token as a strip, before and after the shuffle, with lines from where each "
        f"token stood to where it stands. The largest difference is {small(result.largest)}.",
        table=table,
    )
    if not layout.is_presented():
        st.caption(
            f"A strip is the output vector of a token, less the mean of all: the {len(channels)} of its "
            f"{result.before.shape[1]} channels in which the tokens differ most. On the right is what is left when the "
            f"first map is shuffled by hand and taken off the second: at most {small(result.largest)} in any channel."
        )


def _table(results: dict[str, dict[str, Shuffled]], layer: int) -> str:
    """The largest differences of every part, told in every way."""
    lines = ["| largest difference | " + " | ".join(TOLD) + " |", "|:--|" + "--:|" * len(TOLD)]
    for part in PARTS:
        cells = [_cell(results[part][told].largest) for told in TOLD]
        name = part if part == PARTS[2] else f"{part}, layer {layer}"
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(value: float) -> str:
    return small(value) if value < SAME else f"**{small(value)}**"


def notices(given: Given, results: dict[str, dict[str, Shuffled]], part: str) -> tuple[str, ...]:
    """What the differences say, and what becomes of a word that stands at two places."""
    nothing, positions, mask = (results[part][told].largest for told in TOLD)
    name = NAMES[part]
    said = [
        f"Without positions the results of {name} are the same vectors in another order: the largest difference of any "
        f"number is **{small(nothing)}**, the rounding of a computer. To {name} a {_thing(given)} is a set."
    ]
    said.append(
        f"With positions the largest difference is **{small(positions)}**, with the causal mask alone "
        f"**{small(mask)}**: each of them tells the places apart. A mask is a kind of order: the first token sees "
        "one, the second sees two."
    )
    if twice := _repeated(given):
        first, second = twice
        gap = (results[part][TOLD[0]].before[first] - results[part][TOLD[0]].before[second]).abs().max().item()
        placed = (results[part][TOLD[1]].before[first] - results[part][TOLD[1]].before[second]).abs().max().item()
        assert given.labels is not None
        said.append(
            f"{inputs.quoted(given.labels[first])} stands at places {first} and {second}, counted from 0. Without "
            f"positions both get the same vector (difference {small(gap)}): nothing can tell which of them did what. "
            f"With positions they differ by {small(placed)}."
        )
    return tuple(said)


def _thing(given: Given) -> str:
    return "picture" if given.labels is None else "sentence"


def _repeated(given: Given) -> tuple[int, int] | None:
    """The first token that stands at two places, words before anything else."""
    content = given.taken.content
    for words_only in (True, False):
        for place, label in enumerate(given.labels or ()):
            if words_only and len(label) < 3:
                continue
            later = (content[place + 1 :] == content[place]).all(dim=1).nonzero()
            if len(later):
                return place, place + 1 + int(later[0])
    return None


def _formula(results: dict[str, Shuffled]) -> None:
    st.latex(r"f(P X) = P f(X)")
    st.latex(
        r"\begin{aligned} & \operatorname{softmax}\left(\tfrac{PQ (PK)^{\top}}{\sqrt{d_k}}\right) PV \\"
        r" &= P \operatorname{softmax}\left(\tfrac{Q K^{\top}}{\sqrt{d_k}}\right) P^{\top} P V \end{aligned}"
    )
    st.markdown("because $P^{\\top} P = I$: a permutation, undone, is no change. Here, in numbers:")
    plain, placed = (_latex(results[told].largest) for told in TOLD[:2])
    st.latex(
        rf"\begin{{aligned}} & \max \left| f(PX) - P f(X) \right| = {plain} \\"
        rf" & \max \left| f(PX + E) - P f(X + E) \right| \\ & \quad = {placed} \end{{aligned}}"
    )


def _latex(value: float) -> str:
    if value == 0 or value >= 0.001:
        return f"{value:.2g}"
    digits, _, power = f"{value:.1e}".partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"
