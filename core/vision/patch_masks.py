"""Masks of patches: at random, as one block, as a grid; each a pure function of the grid, the share and a seed.

hidden = hide_patches("block", 8, 8, 0.75, seed=3)       # (patch), row by row: 48 of 64 are hidden
striped = stripe_hidden_patches(picture, hidden, 8, 8)   # for display
"""

import numpy as np
import torch
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from ..models.mae import random_mask

RANDOM, BLOCK, GRID = WAYS = ("random", "block", "grid")
COVER, STRIPE = 196, 214  # the greys of the stripes over hidden patches


def hide_patches(way: str, rows: int, columns: int, share: float, *, seed: int = 0) -> Bool[Tensor, " patch"]:
    """The mask of hidden patches, row by row; with the same seed a larger share hides the same ones and more.

    At least one patch is visible and at least one hidden, whatever the share. A grid is the same for every seed. Raises
    ValueError for another way than those of WAYS.
    """
    if way == RANDOM:
        return random_mask(1, rows * columns, share, torch.Generator().manual_seed(seed))[0]
    if way == BLOCK:
        order = _block_order(rows, columns, seed)
    elif way == GRID:
        order = spread_evenly(rows, columns).flip(0)
    else:
        raise ValueError(f"Patches are hidden in one of the ways {', '.join(WAYS)}, not '{way}'.")
    hidden = torch.zeros(rows * columns, dtype=torch.bool)
    hidden[order[: hidden_count(rows * columns, share)]] = True
    return hidden


def hidden_count(patches: int, share: float) -> int:
    """The number of hidden patches for a share: at least one, and not all."""
    return min(patches - 1, max(1, round(share * patches)))


def spread_evenly(rows: int, columns: int) -> Tensor:
    """An order of the patches in which the first n, for every n, are spread evenly over the picture.

    The order of ordered dithering (Bayer 1973): the first quarter is every second patch of every second row (the
    "grid" of He et al. 2022, figure 6), the first half a chessboard.
    """
    side = 1
    table = torch.zeros(1, 1, dtype=torch.long)
    while side < max(rows, columns):
        table = torch.cat(
            [torch.cat([4 * table, 4 * table + 2], dim=1), torch.cat([4 * table + 3, 4 * table + 1], dim=1)]
        )
        side *= 2
    return table[:rows, :columns].flatten().argsort(stable=True)


def _block_order(rows: int, columns: int, seed: int) -> Tensor:
    """The patches by their distance from a random point: the first n form a square, cut off at the edges."""
    generator = torch.Generator().manual_seed(seed)
    centre = torch.rand(2, generator=generator) * torch.tensor([rows, columns]) - 0.5
    places = torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).reshape(-1, 2)
    offsets = (places - centre).abs()
    # By Chebyshev distance, ties by Manhattan distance.
    return (offsets.amax(dim=1) + 1e-3 * offsets.sum(dim=1)).argsort(stable=True)


def stripe_hidden_patches(
    picture: UInt8[np.ndarray, "_ _ channel"], hidden: Bool[Tensor, " patch"], rows: int, columns: int
) -> UInt8[np.ndarray, "_ _ channel"]:
    """A picture with grey stripes over hidden patches, for display; its sides need not be multiples of a patch."""
    height, width = picture.shape[:2]
    down, across = np.arange(height) * rows // height, np.arange(width) * columns // width
    is_hidden = hidden.numpy().reshape(rows, columns)[down][:, across]
    step = max(1, min(height // rows, width // columns) // 8)
    stripes = ((np.arange(height)[:, None] + np.arange(width)[None]) // step) % 4 < 2
    grey = np.where(stripes, COVER, STRIPE).astype(np.uint8)[..., None]
    return np.where(is_hidden[..., None], grey, picture)


def pixel_mask(hidden: Bool[Tensor, " patch"], rows: int, columns: int, patch: int) -> Bool[Tensor, "row column"]:
    """For each pixel whether it lies in a hidden patch."""
    return hidden.view(rows, columns).repeat_interleave(patch, dim=0).repeat_interleave(patch, dim=1)


def error_of(
    guess: Float[Tensor, "channel row column"], truth: Float[Tensor, "channel row column"], where: Bool[Tensor, "_ _"]
) -> float:
    """The mean squared error over the pixels of the mask `where`; values from 0 to 1."""
    return float((guess - truth).square()[:, where].mean())


def errors_of_patches(
    guess: Float[Tensor, "channel _ _"], truth: Float[Tensor, "channel _ _"], patch: int
) -> Float[Tensor, "row column"]:
    """The mean squared error of each patch."""
    squares = (guess - truth).square().mean(dim=0)
    return torch.nn.functional.avg_pool2d(squares[None, None], patch)[0, 0]
