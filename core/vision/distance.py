"""Attention distances in pixels, and the smallest sets of patches that hold most of the attention."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..heads.measures import check_not_negative, shares
from ..images import Patches


def patch_distances(patches: Patches, size: tuple[int, int]) -> Float[Tensor, "query key"]:
    """The distances between the centres of all patches, in pixels.

    `size`: rows and columns of pixels of one patch, which need not be square.
    """
    rows = torch.arange(patches.rows, dtype=torch.float64) * size[0]
    columns = torch.arange(patches.columns, dtype=torch.float64) * size[1]
    places = torch.cartesian_prod(rows, columns).reshape(-1, 2)
    # The matrix product that is faster for many points leaves 1e-5 pixels on the diagonal.
    return torch.cdist(places, places, compute_mode="donot_use_mm_for_euclid_dist").float()


def mean_distance(
    weights: Float[Tensor, "*leading query key"], patches: Patches, distances: Float[Tensor, "_ _"]
) -> Float[Tensor, "*leading"]:
    """The mean attention distance in pixels (Dosovitskiy et al. 2020, figure 7, right).

    `distances` are those of `patch_distances`. For each patch they are averaged with its weights, then patches are
    averaged. Prefix tokens have no position: they are left out, as queries and as keys, and the remaining weights of a
    row are scaled to sum to 1. Rows without attention to patches are left out.
    """
    before = len(patches.prefix)
    return (shares(weights[..., before:, before:]) * distances).sum(dim=-1).nanmean(dim=-1)


def even_distance(distances: Float[Tensor, "query key"]) -> float:
    """The mean distance in pixels of attention that is spread evenly over the picture."""
    return float(distances.double().mean())


def smallest_set(weights: Float[Tensor, "*leading key"], share: float) -> Bool[Tensor, "*leading key"]:
    """The fewest keys that together hold `share` (0 to 1) of each row, whatever the row sums to.

    The threshold of mass of DINO's figures (Caron et al. 2021, figure 3). Of equal weights the first ones are taken; of
    a row of zeros none. Raises CaptureError for weights below 0.
    """
    check_not_negative(weights)
    order = weights.argsort(dim=-1, descending=True, stable=True)
    sorted_weights = weights.gather(-1, order)
    mass = sorted_weights.double().cumsum(dim=-1)
    before = mass - sorted_weights  # the sum over the keys with larger weights
    needed = before < share * mass[..., -1:] * (1 - 1e-6)
    return torch.zeros_like(weights, dtype=torch.bool).scatter(-1, order, needed)
