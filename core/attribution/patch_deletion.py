"""Deletion and insertion of patches: how the class probability changes, the most important patches first.

Petsiuk, Das and Saenko 2018 (RISE). Pictures are normalised as for the model, so 0 is the mean colour.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from .deletion_curves import Faithfulness, counts_of, order_by_score, ranks_in

# Pictures (batch, channel, row, column) to the probability of one class for each.
Classify = Callable[[Tensor], Tensor]

BATCH_SIZE = 32  # pictures that are computed at once
BLUR = 0.1  # standard deviation of the Gaussian that hides a picture, as a share of its shorter side


def measure(
    classify: Classify,
    picture: Float[Tensor, "1 channel row column"],
    orders: Mapping[str, Int[Tensor, " patch"]],
    grid: tuple[int, int],
    steps: int,
) -> dict[str, Faithfulness]:
    """Both curves for each order of the patches of a grid (rows, columns), in `steps` equal steps (rounded to patches).

    Deletion puts 0 over patches; insertion puts them into a copy blurred by a Gaussian.
    """
    counts = counts_of(math.prod(grid), steps)
    blurry_picture, inner = blur(picture), counts[1:-1]
    pictures = [picture, torch.zeros_like(picture), blurry_picture]
    for order in orders.values():
        masks = first_patches(order, inner, grid, picture.shape[-2:])
        pictures += [delete_patches(picture, masks), insert_patches(picture, masks, blurry_picture)]
    probabilities = torch.cat([classify(part) for part in torch.cat(pictures).split(BATCH_SIZE)])
    intact, blank, blurry = probabilities[:3].split(1)
    curves = probabilities[3:].unflatten(0, (len(orders), 2, len(inner)))
    shares = torch.tensor(counts) / counts[-1]
    return {
        name: Faithfulness(shares, torch.cat([intact, deletion, blank]), torch.cat([blurry, insertion, intact]))
        for name, (deletion, insertion) in zip(orders, curves, strict=True)
    }


def order_of(scores: Float[Tensor, "row column"], grid: tuple[int, int], *, seed: int = 0) -> Int[Tensor, " patch"]:
    """The patches of a grid, row by row, from the most to the least important; equal ones in a random order.

    A map of another size is brought to the grid first (bilinear; means over what is finer).
    """
    return order_by_score(on_grid(scores, grid).flatten(), seed=seed)


def on_grid(scores: Float[Tensor, "_ _"], grid: tuple[int, int]) -> Float[Tensor, "row column"]:
    """A map brought to a grid of patches, so that maps of several sizes can be compared."""
    if scores.shape == grid:
        return scores
    return F.interpolate(scores[None, None].float(), grid, mode="bilinear", antialias=True)[0, 0]


def first_patches(
    order: Int[Tensor, " patch"], counts: Sequence[int], grid: tuple[int, int], size: Sequence[int]
) -> Bool[Tensor, "share 1 row column"]:
    """For each count n the mask of the pixels in the first n patches, of a picture of `size` (rows, columns)."""
    rows = torch.arange(size[0]) * grid[0] // size[0]
    columns = torch.arange(size[1]) * grid[1] // size[1]
    ranks = ranks_in(order).view(grid)[rows][:, columns]
    return ranks < torch.tensor(counts)[:, None, None, None]


def delete_patches(
    picture: Float[Tensor, "1 channel row column"], masks: Bool[Tensor, "share 1 row column"]
) -> Float[Tensor, "share channel row column"]:
    """The pictures with 0 where a mask is true."""
    return picture.masked_fill(masks, 0.0)


def insert_patches(
    picture: Float[Tensor, "1 channel row column"],
    masks: Bool[Tensor, "share 1 row column"],
    blurry: Float[Tensor, "1 channel row column"],
) -> Float[Tensor, "share channel row column"]:
    """The picture where a mask is true, its blurred copy elsewhere."""
    return torch.where(masks, picture, blurry)


def blur(picture: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch channel row column"]:
    """The picture under a Gaussian (standard deviation: BLUR of its shorter side; mirrored at its borders)."""
    deviation = BLUR * min(picture.shape[-2:])
    reach = min(math.ceil(3 * deviation), min(picture.shape[-2:]) - 1)
    kernel = (-0.5 * (torch.arange(-reach, reach + 1) / deviation).square()).exp()
    kernel = (kernel / kernel.sum()).expand(picture.shape[1], 1, 1, -1)
    padded = F.pad(picture, (reach,) * 4, mode="reflect")
    return F.conv2d(F.conv2d(padded, kernel, groups=picture.shape[1]), kernel.mT, groups=picture.shape[1])
