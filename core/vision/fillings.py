"""Baselines of reconstruction: hidden patches filled with the mean colour, the nearest patch, or bilinearly.

filled = FILLINGS["nearest visible patch"](truth, hidden, patch)     # values from 0 to 1
"""

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..models.mae import patches_of, pixels_of
from .patch_masks import pixel_mask

MEAN, NEAREST, BILINEAR = "mean colour", "nearest visible patch", "bilinear"


def fill_with_mean(
    picture: Float[Tensor, "channel row column"], hidden: Bool[Tensor, " patch"], patch: int
) -> Float[Tensor, "channel row column"]:
    """Fill every hidden pixel with the mean colour of the visible pixels."""
    mask = _hidden_pixels(picture, hidden, patch)
    return torch.where(mask, picture[:, ~mask].mean(dim=1)[:, None, None], picture)


def fill_with_nearest(
    picture: Float[Tensor, "channel row column"], hidden: Bool[Tensor, " patch"], patch: int
) -> Float[Tensor, "channel row column"]:
    """Fill every hidden patch with the visible one whose centre is nearest; of equally near ones the first."""
    patches, nearest = patches_of(picture[None], patch)[0], nearest_visible(hidden)
    return pixels_of(patches[nearest][None], patch)[0]


def nearest_visible(hidden: Bool[Tensor, " patch"]) -> Tensor:
    """For each patch of a square grid the number of the nearest visible one; for a visible one its own number."""
    side = round(len(hidden) ** 0.5)
    places = torch.cartesian_prod(torch.arange(side), torch.arange(side)).reshape(-1, 2).double()
    visible = (~hidden).nonzero()[:, 0]
    distances = torch.cdist(places, places[visible], compute_mode="donot_use_mm_for_euclid_dist")
    return visible[distances.argmin(dim=1)]


def fill_bilinearly(
    picture: Float[Tensor, "channel row column"], hidden: Bool[Tensor, " patch"], patch: int
) -> Float[Tensor, "channel row column"]:
    """Fill every hidden pixel by linear interpolation in its row and in its column.

    The nearest visible pixels to the left, right, above and below are averaged with weights of one over their distance.
    Without a visible pixel in its row and in its column, a pixel is that of the nearest visible patch.
    """
    mask = _hidden_pixels(picture, hidden, patch)
    total, weight = torch.zeros_like(picture), torch.zeros(mask.shape)
    for quarter in range(4):  # the visible pixel to the left, then the picture is rotated by a quarter turn
        rotated, hidden_pixels = picture.rot90(quarter, (1, 2)), mask.rot90(quarter)
        columns = torch.arange(hidden_pixels.shape[1]).expand(hidden_pixels.shape)
        before = torch.where(hidden_pixels, -1, columns).cummax(dim=1).values
        closeness = torch.where(before >= 0, 1 / (columns - before).clamp_min(1), 0.0)
        colours = rotated.gather(2, before.clamp_min(0).expand(len(picture), -1, -1))
        total += (closeness * colours).rot90(-quarter, (1, 2))
        weight += closeness.rot90(-quarter)
    interpolated = torch.where(weight > 0, total / weight.clamp_min(1e-9), fill_with_nearest(picture, hidden, patch))
    return torch.where(mask, interpolated, picture)


Filling = Callable[[Tensor, Tensor, int], Tensor]
FILLINGS: Mapping[str, Filling] = {MEAN: fill_with_mean, NEAREST: fill_with_nearest, BILINEAR: fill_bilinearly}


def _hidden_pixels(picture: Tensor, hidden: Tensor, patch: int) -> Bool[Tensor, "row column"]:
    return pixel_mask(hidden, picture.shape[1] // patch, picture.shape[2] // patch, patch)
