"""Numbering, shifting, padding and cutting a grid into windows, and stitching the windows together again."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

PADDING = -1  # a position outside of the picture


def number_places(
    grid: tuple[int, int], window: tuple[int, int], shift: tuple[int, int], *, pads_first: bool
) -> Int[Tensor, "row column"]:
    """The numbers of the grid's places, shifted, and padded at the bottom and at the right to whole windows.

    timm shifts and then pads, so that its padding stays at the edge; transformers pads and then shifts, so that its
    padding moves inside.
    """
    numbers = torch.arange(grid[0] * grid[1]).reshape(grid)
    missing = [-side % length for side, length in zip(grid, window, strict=True)]
    margin = (0, missing[1], 0, missing[0])
    offsets = (-shift[0], -shift[1])
    if pads_first:
        return nn.functional.pad(numbers, margin, value=PADDING).roll(offsets, (0, 1))
    return nn.functional.pad(numbers.roll(offsets, (0, 1)), margin, value=PADDING)


def number_regions(
    padded: tuple[int, int], window: tuple[int, int], shift: tuple[int, int]
) -> Int[Tensor, "row column"]:
    """The number of each place's region, of up to three on each axis of the shifted grid.

    They are the windows before the last one, the first part of the last window, and the part that wrapped around from
    the opposite edge.
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
    """Put the values of the windows at their places (row * columns + column) of the grid; `empty` elsewhere.

    Numbers at PADDING are dropped.
    """
    real = places != PADDING
    stitched = values.new_full((*values.shape[:-2], grid[0] * grid[1]), empty)
    stitched[..., places[real]] = values[..., real]
    return stitched.unflatten(-1, grid)
