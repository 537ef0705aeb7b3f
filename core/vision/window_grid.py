"""How a grid of places is numbered, shifted, padded and cut into windows, and put together from them again."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

PADDING = -1  # a place that the picture does not have


def number_places(
    grid: tuple[int, int], window: tuple[int, int], shift: tuple[int, int], *, pads_first: bool
) -> Int[Tensor, "row column"]:
    """The grid as the block cuts it: numbered, shifted, and padded at the bottom and at the right to whole windows.

    timm shifts and then pads, so that its padding stays at the edge; transformers pads and then shifts, so that its
    padding moves inside.
    """
    numbers = torch.arange(grid[0] * grid[1]).reshape(grid)
    lacking = [-side % length for side, length in zip(grid, window, strict=True)]
    margin = (0, lacking[1], 0, lacking[0])
    back = (-shift[0], -shift[1])
    if pads_first:
        return nn.functional.pad(numbers, margin, value=PADDING).roll(back, (0, 1))
    return nn.functional.pad(numbers.roll(back, (0, 1)), margin, value=PADDING)


def number_regions(
    padded: tuple[int, int], window: tuple[int, int], shift: tuple[int, int]
) -> Int[Tensor, "row column"]:
    """Up to three regions on each axis of the shifted grid: before the last window, its first part, and what came
    around from the opposite edge.
    """
    down, across = (_stripes(*sizes) for sizes in zip(padded, window, shift, strict=True))
    return down[:, None] * 3 + across


def _stripes(length: int, window: int, shift: int) -> Int[Tensor, " _"]:
    number = torch.arange(length)
    if not shift:
        return torch.zeros_like(number)
    return (number >= length - window).long() + (number >= length - shift).long()


def cut(grid: Int[Tensor, "row column"], window: tuple[int, int]) -> Int[Tensor, "window position"]:
    """Windows row by row, and the positions of each row by row."""
    rows, columns = grid.shape[0] // window[0], grid.shape[1] // window[1]
    return grid.reshape(rows, window[0], columns, window[1]).transpose(1, 2).reshape(rows * columns, -1)


def stitch(
    values: Float[Tensor, "*leading window position"],
    places: Int[Tensor, "window position"],
    grid: tuple[int, int],
    *,
    empty: float = math.nan,
) -> Float[Tensor, "*leading row column"]:
    """Each number of a window at its place (row * columns + column) of the grid; `empty` where no window has one.

    Numbers at PADDING are dropped.
    """
    real = places != PADDING
    stitched = values.new_full((*values.shape[:-2], grid[0] * grid[1]), empty)
    stitched[..., places[real]] = values[..., real]
    return stitched.unflatten(-1, grid)
