"""What each head of image-GPT looks at when a pixel is asked for: the one to the left, the one above, how far away."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..capture import AttentionCall
from ..heads.measures import shares


@dataclass(frozen=True)
class PixelLook:
    """A head, by the mean over the pixels of one picture that have attention: parts of a row's own sum, from 0 to 1.

    `left` and `above`: what it gives to that neighbour of the pixel that is asked for, over the pixels that have one;
    `start`: what it gives to the start token, which is no pixel, over all but the first, which sees nothing else;
    `distance`: how far away, in pixels, what it gives to pixels lies; NaN where it gives them nothing.
    """

    layer: int
    head: int
    left: float
    above: float
    start: float
    distance: float


def pixel_looks(calls: Sequence[AttentionCall], side: int) -> tuple[PixelLook, ...]:
    """All heads of the recorded layers of a picture of side x side pixels, read after its start token."""
    gaps = gaps_before(side)
    return tuple(
        _look(layer, head, call.weights(head), side, gaps)
        for layer, call in enumerate(calls)
        for head in range(call.heads)
    )


def gaps_before(side: int) -> Float[Tensor, "query key"]:
    """How far each pixel is from those before it, as a line through the picture; token 0 is the start, which is none.

    Query k asks for pixel k; key k > 0 is pixel k - 1, which is read there.
    """
    place = torch.arange(side**2)
    row, column = place // side, place % side
    gaps = ((row[:, None] - row).square() + (column[:, None] - column).square()).float().sqrt()
    return torch.nn.functional.pad(gaps[:, :-1], (1, 0))


def _look(
    layer: int, head: int, weights: Float[Tensor, "query key"], side: int, gaps: Float[Tensor, "query key"]
) -> PixelLook:
    weights = shares(weights)
    asked = torch.arange(1, side**2)  # the first pixel has nothing before it
    beside, below = asked[asked % side > 0], asked[asked >= side]
    to_pixels = weights[asked, 1:].nan_to_num(nan=0.0)
    return PixelLook(
        layer,
        head,
        left=float(weights[beside, beside].nanmean()),  # key k is pixel k - 1
        above=float(weights[below, below - side + 1].nanmean()),
        start=float(weights[asked, 0].nanmean()),
        distance=float((to_pixels * gaps[asked, 1:]).sum() / to_pixels.sum()),
    )
