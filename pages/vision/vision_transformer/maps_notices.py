"""What to notice in the maps: sentences computed from what is shown."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dashboard import layout
from pages.vision.vision_transformer.compute_maps import SHARE, Measured

LOCAL = 0.5  # of the distance of even attention: below it a head looks nearby
STRONG = 0.5  # of what a patch gives: from here on a head rests on tokens without a place


class _Head(NamedTuple):
    layer: int  # the number of the call
    head: int
    value: float
    own: Measured

    @property
    def name(self) -> str:
        return f"layer {self.layer}, head {self.head}"


def noticed(layers: Sequence[Measured]) -> tuple[str, ...]:
    """Sentences about how far heads look, how narrowly the class token looks, and what rests on prefix tokens."""
    return tuple(sentence for about in (_distances, _class_token, _resting) for sentence in about(layers))


def _distances(layers: Sequence[Measured]) -> Iterator[str]:
    heads = [_Head(own.number, head, value, own) for own in layers for head, value in enumerate(own.distances)]
    heads = [head for head in heads if np.isfinite(head.value)]
    if not heads:
        return
    near, far = min(heads, key=_relative), max(heads, key=_relative)
    yield (
        f"**{near.name.capitalize()}** looks nearest, {near.value:.0f} pixels away on average, **{far.name}** "
        f"farthest, {far.value:.0f} pixels. Attention spread evenly over the picture would come to {far.own.even:.0f}."
    )
    first, last = (np.nanmean(own.distances / own.even) for own in (layers[0], layers[-1]))
    local = sum(_relative(head) < LOCAL for head in heads)
    if local and first < last:
        yield (
            f"{_heads(local, len(heads), 'look')} less than half as far as even attention would, as a convolution "
            f"does. The mean rises from {first:.0%} of the even distance in layer {layers[0].number} to {last:.0%} in "
            f"layer {layers[-1].number}."
        )
    elif local:
        yield (
            f"{_heads(local, len(heads), 'look')} less than half as far as even attention would, as a convolution "
            "does; but the last layer does not look farther than the first."
        )
    else:
        yield f"None of the {len(heads)} heads looks less than half as far as even attention would: all are global."


def _class_token(layers: Sequence[Measured]) -> Iterator[str]:
    last = layers[-1]
    if last.holders is None:
        return
    narrow, wide = int(last.holders.argmin()), int(last.holders.argmax())
    patches, token = last.patches.rows * last.patches.columns, layout.plain(last.patches.prefix[0])
    if last.holders[narrow] == last.holders[wide]:
        yield (
            f"In the last layer {SHARE:.0%} of what the {token} token gives to the picture lies on "
            f"{last.holders[narrow]} of {patches} patches, whatever the head."
        )
        return
    yield (
        f"In the last layer the {token} token looks most narrowly in **head {narrow}**, where {last.holders[narrow]} "
        f"of {patches} patches hold {SHARE:.0%} of what it gives to the picture, and most widely in **head {wide}**, "
        f"where it takes {last.holders[wide]}."
    )


def _resting(layers: Sequence[Measured]) -> Iterator[str]:
    resting = [own for own in layers if own.to_prefix is not None]
    heads = [
        _Head(own.number, head, float(value), own)
        for own in resting
        if own.to_prefix is not None
        for head, value in enumerate(own.to_prefix)
    ]
    if not heads:
        return
    most = max(heads, key=_value)
    names = most.own.patches.prefix
    tokens = f"the {layout.plain(names[0])} token" if len(names) == 1 else f"the {len(names)} tokens without a place"
    many = sum(head.value > STRONG for head in heads)
    counted = "No head gives away more than half like this."
    if many:
        counted = f"{_heads(many, len(heads), 'give')} more than half of it away like this."
    yield (
        f"What no patch of the photograph gets: in **{most.name}** patches give {most.value:.0%} of their attention "
        f"to {tokens}. {counted}"
    )


def _relative(head: _Head) -> float:
    return head.value / head.own.even


def _value(head: _Head) -> float:
    return head.value


def _heads(count: int, total: int, verb: str) -> str:
    return f"One head of {total} {verb}s" if count == 1 else f"{count} heads of {total} {verb}"
