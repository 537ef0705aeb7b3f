"""How far heads look across a picture, in pixels, and how few patches hold most of what they take."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..heads.measures import check_not_negative, shares
from ..images import Patches


def pixel_gaps(patches: Patches, size: tuple[int, int]) -> Float[Tensor, "query key"]:
    """The distance from the middle of every patch to that of every patch, in pixels.

    `size`: rows and columns of pixels of one patch, which need not be square.
    """
    rows = torch.arange(patches.rows, dtype=torch.float64) * size[0]
    columns = torch.arange(patches.columns, dtype=torch.float64) * size[1]
    places = torch.cartesian_prod(rows, columns).reshape(-1, 2)
    # The matrix product that is faster for many points would leave a hundred-thousandth of a pixel on the diagonal.
    return torch.cdist(places, places, compute_mode="donot_use_mm_for_euclid_dist").float()


def mean_distance(
    weights: Float[Tensor, "*leading query key"], patches: Patches, gaps: Float[Tensor, "_ _"]
) -> Float[Tensor, "*leading"]:
    """The mean attention distance in pixels (Dosovitskiy et al. 2020, figure 7, right).

    For each patch the distances to all patches (`pixel_gaps`) are averaged with its weights, then patches are
    averaged. Prefix tokens have no place: they do not ask, and what goes to them is left out; the rest of a row is
    made to sum to 1 again. Rows that leave nothing to the patches are left out.
    """
    before = len(patches.prefix)
    return (shares(weights[..., before:, before:]) * gaps).sum(dim=-1).nanmean(dim=-1)


def even_distance(gaps: Float[Tensor, "query key"]) -> float:
    """The mean distance in pixels of attention that is spread evenly over the picture."""
    return float(gaps.double().mean())


def smallest_set(weights: Float[Tensor, "*leading key"], share: float) -> Bool[Tensor, "*leading key"]:
    """The fewest keys that together hold `share` (0 to 1) of each row, whatever the row sums to.

    What stays of a map under a threshold of mass, as in the figures of DINO (Caron et al. 2021, figure 3). Of equal
    weights the first ones are taken; of a row of zeros none. Raises CaptureError for weights below 0.
    """
    check_not_negative(weights)
    order = weights.argsort(dim=-1, descending=True, stable=True)
    sorted_weights = weights.gather(-1, order)
    mass = sorted_weights.double().cumsum(dim=-1)
    before = mass - sorted_weights  # what the stronger keys hold already
    needed = before < share * mass[..., -1:] * (1 - 1e-6)
    return torch.zeros_like(weights, dtype=torch.bool).scatter(-1, order, needed)
