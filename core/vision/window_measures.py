"""Measures of heads in windows: attention distance, attention to itself and to padding."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..heads.measures import shares
from .windows import PADDING, WindowLayer


@dataclass(frozen=True)
class WindowMeasures:
    """Means over one head's queries that are places of the picture; shares are of a row's own sum."""

    distance: float  # pixels, weighted; padding left out
    even: float  # that of attention spread evenly over the allowed keys
    own: float  # share that a place gives to itself
    padding: float  # share that goes to padding
    strength: float  # distance from an even map: half the sum of absolute differences, 0 to 1


def measure_in_windows(
    weights: Float[Tensor, "window query key"], layer: WindowLayer, pixels: tuple[float, float]
) -> WindowMeasures:
    """Measure one head; `pixels` are the rows and columns of pixels of one place of the grid."""
    weights = shares(weights)
    is_place = layer.places != PADDING
    is_query = is_place.float()
    distances = _pixel_distances(layer.places, layer.columns, pixels)
    allowed = layer.allowed.float()
    even = allowed / allowed.sum(dim=-1, keepdim=True)

    def mean(rows: Float[Tensor, "window query"]) -> float:
        return float((rows.nan_to_num(nan=0.0) * is_query).sum() / (is_query * ~rows.isnan()).sum())

    def distance(map_of: Float[Tensor, "window query key"]) -> float:
        on_picture = map_of * is_place[:, None, :]
        return mean((on_picture * distances).sum(-1) / on_picture.sum(-1))

    return WindowMeasures(
        distance(weights),
        distance(even),
        mean(weights.diagonal(dim1=1, dim2=2)),
        mean((weights * ~is_place[:, None, :]).sum(-1)),
        mean((weights - even).abs().sum(-1) / 2),
    )


def across_edges(layer: WindowLayer) -> Bool[Tensor, "window query key"]:
    """Pairs of places in one window that are farther apart than a window, because a shift wrapped around the edges.

    Paper and libraries mask them; where timm pads a grid after the shift, its mask misses some.
    """
    is_place = layer.places != PADDING
    row, column = layer.places // layer.columns, layer.places % layer.columns
    far = (row[:, :, None] - row[:, None, :]).abs() >= layer.window[0]
    far |= (column[:, :, None] - column[:, None, :]).abs() >= layer.window[1]
    return far & is_place[:, :, None] & is_place[:, None, :]


def _pixel_distances(
    places: Int[Tensor, "window position"], columns: int, pixels: tuple[float, float]
) -> Float[Tensor, "window query key"]:
    """Distances between the centres of the places of each window, in pixels."""
    centres = torch.stack([places // columns * pixels[0], places % columns * pixels[1]], dim=-1).float()
    return torch.cdist(centres, centres, compute_mode="donot_use_mm_for_euclid_dist")
