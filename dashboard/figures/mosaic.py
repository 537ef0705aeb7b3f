"""Many small maps side by side, each at the place of the patch that it belongs to."""

import numpy as np


def tiles(maps: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Small maps (tile, row, column) laid out on a grid of rows x columns, one empty (NaN) line between them."""
    count, high, wide = maps.shape
    if count != rows * columns:
        raise ValueError(f"{count} maps do not fill a grid of {rows} × {columns}.")
    sheet = np.full((rows * (high + 1) - 1, columns * (wide + 1) - 1), np.nan, dtype=np.float32)
    for number, tile in enumerate(maps):
        row, column = divmod(number, columns)
        sheet[row * (high + 1) :, column * (wide + 1) :][:high, :wide] = tile
    return sheet


def rearranged(picture: np.ndarray, rows: int, columns: int, order: np.ndarray) -> np.ndarray:
    """A picture (row, column, channel) cut into rows x columns patches, with patch order[i] moved to place i.

    Rows and columns that do not fill a patch are cut off at the bottom and on the right.
    """
    high, wide = picture.shape[0] // rows, picture.shape[1] // columns
    cut = picture[: high * rows, : wide * columns].reshape(rows, high, columns, wide, -1).swapaxes(1, 2)
    patches = cut.reshape(rows * columns, high, wide, -1)[order]
    return patches.reshape(rows, columns, high, wide, -1).swapaxes(1, 2).reshape(high * rows, wide * columns, -1)
