"""Maps: any layer, head and patch over the photograph, and how far each head looks."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from core.capture import AttentionCall, by_layer
from core.errors import ModelError
from dashboard import theme, typeset
from dashboard.components.photo_maps import photo_maps
from dashboard.figures.distances import distances
from dashboard.frame import layout
from dashboard.inputs import photograph
from dashboard.number_format import span
from dashboard.output import charts, export
from dashboard.recordings.watched import WatchedImage
from pages.vision.vision_transformer.photo_scene import SHARE, Measured, left_out, measured_layers, scene_of
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Maps")
LOCAL = 0.5  # of the distance of even attention: below it a head looks nearby
STRONG = 0.5  # of what a patch gives: from here on a head rests on tokens without a place


def show() -> None:
    """The maps, the distances, the notes."""
    chosen = photograph.choose(attends=False)
    if not chosen.model.attends:
        raise ModelError(
            f"{chosen.model.title} has no attention heads, so there is no map of a head to show. What matters to it is "
            "shown by its gradients: open “Explanations” above, or choose a vision transformer."
        )
    with layout.waiting_place():
        watched = chosen.watched()
        scene, layers = scene_of(watched), measured_layers(watched)
    photo_maps(scene, key="vision-maps", name="maps")
    layout.place_notice()
    if missing := left_out(watched):
        st.caption(missing)
    export.download_all_heads(watched)
    _distances(layers)
    layout.notes(SECTION, notice=noticed(layers), numbers=_numbers(watched, layers))


def _distances(layers: Sequence[Measured]) -> None:
    st.subheader("How far does each head look?", anchor=False)
    st.markdown(SECTION.text("Attention distance"), width=theme.PROSE)

    figure = partial(
        distances,
        [str(own.number) for own in layers],
        [own.distances for own in layers],
        even=layers[-1].even,
        look=theme.look(),
        height=theme.look().high(360),
    )
    charts.chart(
        figure,
        name="vision-distances",
        alt="Mean attention distance in pixels of each head: "
        + "; ".join(f"in layer {own.number} {span(own.distances)}" for own in layers),
        table=pd.DataFrame(
            [(own.number, head, far, own.even) for own in layers for head, far in enumerate(own.distances)],
            columns=["layer", "head", "mean attention distance in pixels", "even attention"],
        ),
    )


class _Head(NamedTuple):
    own: Measured
    head: int
    value: float

    @property
    def name(self) -> str:
        return f"layer {self.own.number}, head {self.head}"

    @property
    def share(self) -> float:
        return self.value / self.own.even


def noticed(layers: Sequence[Measured]) -> tuple[str, ...]:
    """Sentences about how far heads look, how narrowly the class token looks, and what rests on prefix tokens."""
    writers = (_tell_extremes, _tell_nearby, _tell_class_token, _tell_resting)
    return tuple(sentence for tell in writers for sentence in tell(layers))


def _finite(layers: Sequence[Measured]) -> list[_Head]:
    heads = [_Head(own, head, float(far)) for own in layers for head, far in enumerate(own.distances)]
    return [head for head in heads if np.isfinite(head.value)]


def _tell_extremes(layers: Sequence[Measured]) -> Iterator[str]:
    """The heads with the smallest and the largest distance in pixels."""
    if not (heads := _finite(layers)):
        return
    near, far = min(heads, key=lambda head: head.value), max(heads, key=lambda head: head.value)
    even = f"Attention spread evenly over the picture would come to {far.own.even:.0f} pixels."
    if f"{near.value:.0f}" == f"{far.value:.0f}":
        who = near.name.capitalize() if len(heads) == 1 else f"Each of the {len(heads)} heads"
        yield f"{who} looks about {near.value:.0f} pixels away on average. {even}"
    else:
        yield (
            f"**{near.name.capitalize()}** looks nearest, {near.value:.0f} pixels away on average, **{far.name}** "
            f"farthest, {far.value:.0f} pixels. {even}"
        )


def _tell_nearby(layers: Sequence[Measured]) -> Iterator[str]:
    """How many heads look nearby, and whether the last layer looks farther than the first; by the even distance."""
    heads = [head for head in _finite(layers) if head.own.even > 0]
    if not heads:
        return
    local = sum(head.share < LOCAL for head in heads)
    counted = _count(local, len(heads), "look") if local else f"None of the {len(heads)} heads looks"
    yield f"{counted} less than half as far as even attention would."
    begin, end = ([head.share for head in heads if head.own is own] for own in (layers[0], layers[-1]))
    if len(layers) > 1 and begin and end:
        first, last, low, high = layers[0].number, layers[-1].number, f"{np.mean(begin):.0%}", f"{np.mean(end):.0%}"
        moves = "is" if low == high else "rises from" if np.mean(begin) < np.mean(end) else "falls from"
        then = f", as in layer {last}" if low == high else f" to {high} in layer {last}"
        yield f"The mean of the heads {moves} {low} of the even distance in layer {first}{then}."


def _tell_class_token(layers: Sequence[Measured]) -> Iterator[str]:
    last = layers[-1]
    if last.holders is None or not (heads := np.flatnonzero(last.holders)).size:  # 0: nothing falls on patches
        return
    holders = last.holders[heads]
    narrow, wide = int(holders.argmin()), int(holders.argmax())
    patches, token = last.patches.rows * last.patches.columns, typeset.plain(last.patches.prefix[0])
    if holders[narrow] == holders[wide]:
        which = "in its one head" if len(last.holders) == 1 else f"in each of {len(heads)} heads"
        yield (
            f"In layer {last.number}, the last one, {SHARE:.0%} of what the {token} token gives to the picture lies "
            f"on {holders[narrow]} of {patches} patches {which}."
        )
        return
    yield (
        f"In layer {last.number}, the last one, the {token} token looks most narrowly in **head {heads[narrow]}**, "
        f"where {holders[narrow]} of {patches} patches hold {SHARE:.0%} of what it gives to the picture, and most "
        f"widely in **head {heads[wide]}**, where it takes {holders[wide]}."
    )


def _tell_resting(layers: Sequence[Measured]) -> Iterator[str]:
    resting = [(own, own.to_prefix) for own in layers if own.to_prefix is not None]
    heads = [_Head(own, head, float(share)) for own, shares in resting for head, share in enumerate(shares)]
    heads = [head for head in heads if np.isfinite(head.value)]  # NaN: no patch has attention in that head
    if not heads:
        return
    most = max(heads, key=lambda head: head.value)
    names = most.own.patches.prefix
    tokens = f"the {typeset.plain(names[0])} token" if len(names) == 1 else f"the {len(names)} tokens without a place"
    many = sum(head.value > STRONG for head in heads)
    counted = f"{_count(many, len(heads), 'give')} more than half of it away like this."
    yield (
        f"Some attention goes to no patch of the photograph: in **{most.name}** patches give on average "
        f"{most.value:.0%} of their attention to "
        f"{tokens}. " + (counted if many else "No head gives more than half of it away like this.")
    )


def _count(count: int, total: int, verb: str) -> str:
    return f"One head of {total} {verb}s" if count == 1 else f"{count} heads of {total} {verb}"


def _numbers(watched: WatchedImage, layers: Sequence[Measured]) -> dict[str, object]:
    """The weights of the last layer's heads, and the distance of one head of the first layer that has one."""
    last = layers[-1]
    call, patches = by_layer(watched.record.calls)[last.number], last.patches
    places = rf"{patches.rows} \cdot {patches.columns}"
    softmax, origin = weights_formula(call)
    distance = ""
    for near in _finite(layers)[:1]:
        distance = f"L{near.name[1:]}: $\\bar d = {near.value:.1f}$ pixels; even attention: {near.own.even:.1f} pixels."
    return {
        "softmax": softmax,
        "layer": last.number,
        "tokens": f"{len(patches.prefix)} + {places} = {call.query_length}" if patches.prefix else places,
        "weights": call.query_length**2,
        "sums": "each row sums to 1" if call.rows_sum_to_one else "some rows do not sum to 1",
        "origin": origin,
        "patches": patches.rows * patches.columns,
        "distance": distance,
    }


def weights_formula(call: AttentionCall) -> tuple[str, str]:
    """How the weights of a call come about, as far as was seen: as a formula, and in a sentence."""
    if call.query is None or call.scale is None:
        return "", SECTION.text("Recorded weights")
    is_plain = call.product is not None and call.product.mask is None
    scores = rf"s\, q_i \cdot k_j{'' if is_plain else ' + M_{ij}'}"
    formula = SECTION.text("Softmax of scores", scores=scores, scale=call.scale, channels=call.query.shape[-1])
    return formula, SECTION.text("Queries and keys" if is_plain else "Queries, keys and a bias")
