"""The attention of image-GPT's heads when a pixel is predicted: to its neighbours, and its mean distance."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..capture import AttentionCall
from ..heads.measures import shares


@dataclass(frozen=True)
class PixelAttention:
    """Mean attention of one head over the pixels of one picture, as shares of a row's own sum, from 0 to 1.

    `left` and `above`: the share of that neighbour of the predicted pixel, over the pixels that have one; `start`: the
    share of the start token, over all pixels but the first, which has no other key; `distance`: the mean distance of
    attention to pixels, in pixels; NaN without any.
    """

    layer: int
    head: int
    left: float
    above: float
    start: float
    distance: float


def measure_pixel_attention(calls: Sequence[AttentionCall], side: int) -> tuple[PixelAttention, ...]:
    """All heads of the recorded layers of a picture of side x side pixels, read after its start token."""
    distances = earlier_pixel_distances(side)
    return tuple(
        _pixel_attention(layer, head, call.weights(head), side, distances)
        for layer, call in enumerate(calls)
        for head in range(call.heads)
    )


def earlier_pixel_distances(side: int) -> Float[Tensor, "query key"]:
    """The Euclidean distances of each pixel to the earlier ones; 0 for the start token, which is key 0.

    Query k predicts pixel k; key k > 0 is pixel k - 1.
    """
    place = torch.arange(side**2)
    row, column = place // side, place % side
    distances = ((row[:, None] - row).square() + (column[:, None] - column).square()).float().sqrt()
    return torch.nn.functional.pad(distances[:, :-1], (1, 0))


def _pixel_attention(
    layer: int, head: int, weights: Float[Tensor, "query key"], side: int, distances: Float[Tensor, "query key"]
) -> PixelAttention:
    weights = shares(weights)
    queries = torch.arange(1, side**2)  # the first pixel has no earlier ones
    with_left, with_above = queries[queries % side > 0], queries[queries >= side]
    to_pixels = weights[queries, 1:].nan_to_num(nan=0.0)
    return PixelAttention(
        layer,
        head,
        left=float(weights[with_left, with_left].nanmean()),  # key k is pixel k - 1
        above=float(weights[with_above, with_above - side + 1].nanmean()),
        start=float(weights[queries, 0].nanmean()),
        distance=float((to_pixels * distances[queries, 1:]).sum() / to_pixels.sum()),
    )
