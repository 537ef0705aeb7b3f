"""What needs no network: hidden patches filled with the mean colour, with the nearest patch, or bilinearly.

filled = FILLINGS["nearest visible patch"](truth, hidden, patch)     # values from 0 to 1
"""

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..models.mae import patches_of, pixels_of
from .patch_masks import over_pixels

MEAN, NEAREST, BILINEAR = "mean colour", "nearest visible patch", "bilinear"


def fill_with_mean(
    picture: Float[Tensor, "channel row column"], hidden: Bool[Tensor, " patch"], patch: int
) -> Float[Tensor, "channel row column"]:
    """Every hidden pixel gets the mean colour of all pixels that are seen."""
    where = _where(picture, hidden, patch)
    return torch.where(where, picture[:, ~where].mean(dim=1)[:, None, None], picture)


def fill_with_nearest(
    picture: Float[Tensor, "channel row column"], hidden: Bool[Tensor, " patch"], patch: int
) -> Float[Tensor, "channel row column"]:
    """Every hidden patch becomes a copy of the visible one whose middle is nearest; of equally near ones the first."""
    cut, nearest = patches_of(picture[None], patch)[0], nearest_visible(hidden)
    return pixels_of(cut[nearest][None], patch)[0]


def nearest_visible(hidden: Bool[Tensor, " patch"]) -> Tensor:
    """For each patch of a square grid the number of the visible one that is nearest; a visible one is its own."""
    side = round(len(hidden) ** 0.5)
    places = torch.cartesian_prod(torch.arange(side), torch.arange(side)).reshape(-1, 2).double()
    seen = (~hidden).nonzero()[:, 0]
    gaps = torch.cdist(places, places[seen], compute_mode="donot_use_mm_for_euclid_dist")
    return seen[gaps.argmin(dim=1)]


def fill_bilinearly(
    picture: Float[Tensor, "channel row column"], hidden: Bool[Tensor, " patch"], patch: int
) -> Float[Tensor, "channel row column"]:
    """A hidden pixel lies on the line between the nearest visible ones in its row, and in its column.

    Each of these up to four pixels counts by one over its distance: for the two of a row that is the straight line
    between them, and the nearer of both lines counts more. Where nothing is seen in its row nor in its column, a pixel
    is that of the nearest visible patch.
    """
    where = _where(picture, hidden, patch)
    total, weight = torch.zeros_like(picture), torch.zeros(where.shape)
    for turn in range(4):  # the pixel before it in the row; then the picture is turned by a quarter
        turned, gaps = picture.rot90(turn, (1, 2)), where.rot90(turn)
        own = torch.arange(gaps.shape[1]).expand(gaps.shape)
        before = torch.where(gaps, -1, own).cummax(dim=1).values
        near = torch.where(before >= 0, 1 / (own - before).clamp_min(1), 0.0)
        colours = turned.gather(2, before.clamp_min(0).expand(len(picture), -1, -1))
        total += (near * colours).rot90(-turn, (1, 2))
        weight += near.rot90(-turn)
    between = torch.where(weight > 0, total / weight.clamp_min(1e-9), fill_with_nearest(picture, hidden, patch))
    return torch.where(where, between, picture)


Filling = Callable[[Tensor, Tensor, int], Tensor]
FILLINGS: Mapping[str, Filling] = {MEAN: fill_with_mean, NEAREST: fill_with_nearest, BILINEAR: fill_bilinearly}


def _where(picture: Tensor, hidden: Tensor, patch: int) -> Bool[Tensor, "row column"]:
    return over_pixels(hidden, picture.shape[1] // patch, picture.shape[2] // patch, patch)
