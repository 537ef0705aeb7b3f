"""What a head does inside its windows: how far it looks, what it keeps for itself, what goes to padding."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..heads.measures import shares
from .windows import PADDING, WindowLayer


@dataclass(frozen=True)
class InWindows:
    """One head of one block, means over the queries that are places of the picture: parts of a row's own sum."""

    distance: float  # pixels, weighted; padding left out
    even: float  # the same, if attention were even over all that a query may look at
    own: float  # share that a place gives to itself
    padding: float  # share that goes to padding
    strength: float  # distance from an even map: half the sum of absolute differences, 0 to 1


def measure_in_windows(
    weights: Float[Tensor, "window query key"], layer: WindowLayer, pixels: tuple[float, float]
) -> InWindows:
    """`pixels`: rows and columns of pixels of the picture that one place of the grid covers."""
    weights = shares(weights)
    real = layer.places != PADDING
    asking = real.float()
    gaps = _gaps(layer.places, layer.columns, pixels)
    seen = layer.allowed.float()
    even = seen / seen.sum(dim=-1, keepdim=True)

    def mean(rows: Float[Tensor, "window query"]) -> float:
        return float((rows.nan_to_num(nan=0.0) * asking).sum() / (asking * ~rows.isnan()).sum())

    def distance(map_of: Float[Tensor, "window query key"]) -> float:
        on_picture = map_of * real[:, None, :]
        return mean((on_picture * gaps).sum(-1) / on_picture.sum(-1))

    return InWindows(
        distance(weights),
        distance(even),
        mean(weights.diagonal(dim1=1, dim2=2)),
        mean((weights * ~real[:, None, :]).sum(-1)),
        mean((weights - even).abs().sum(-1) / 2),
    )


def across_edges(layer: WindowLayer) -> Bool[Tensor, "window query key"]:
    """Pairs of places that share a window and lie farther apart than a window: a shift brought opposite edges together.

    Paper and libraries forbid them by a mask; where timm pads a grid after the shift, its mask misses some.
    """
    real = layer.places != PADDING
    row, column = layer.places // layer.columns, layer.places % layer.columns
    far = (row[:, :, None] - row[:, None, :]).abs() >= layer.window[0]
    far |= (column[:, :, None] - column[:, None, :]).abs() >= layer.window[1]
    return far & real[:, :, None] & real[:, None, :]


def _gaps(
    places: Int[Tensor, "window position"], columns: int, pixels: tuple[float, float]
) -> Float[Tensor, "window query key"]:
    """Distances in pixels between the middles of the places of each window."""
    at = torch.stack([places // columns * pixels[0], places % columns * pixels[1]], dim=-1).float()
    return torch.cdist(at, at, compute_mode="donot_use_mm_for_euclid_dist")
