"""The pointing game: maps over a picture compared with the pixels that a word refers to."""

import numpy as np
from jaxtyping import Bool, Float


def over_pixels(grid: Float[np.ndarray, "row column"], side: int) -> Float[np.ndarray, "_ _"]:
    """A map over patches as one over pixels: each patch spreads its value evenly, so the sum stays the same.

    Raises ValueError where the patches do not fill the picture evenly.
    """
    rows, columns = grid.shape
    if side % rows or side % columns:
        raise ValueError(f"A map of {rows} x {columns} patches does not fit {side} pixels.")
    high, wide = side // rows, side // columns
    return np.kron(grid / (high * wide), np.ones((high, wide)))


def points_inside(pixels: Float[np.ndarray, "row column"], mask: Bool[np.ndarray, "row column"]) -> float:
    """The pointing game (Zhang et al. 2016, "Top-down Neural Attention", section 4.1): is the brightest pixel inside?

    1 or 0; where several are as bright, the share of them that are. NaN where the mask is empty.
    """
    if not mask.any():
        return float("nan")
    brightest = pixels == pixels.max()
    return float(mask[brightest].mean())


def share_inside(pixels: Float[np.ndarray, "row column"], mask: Bool[np.ndarray, "row column"]) -> float:
    """The share of a map inside the mask; values below 0 count as 0. NaN where the map or the mask is empty."""
    positive = np.maximum(pixels, 0.0)
    total = float(positive.sum())
    return float(positive[mask].sum()) / total if total > 0 and mask.any() else float("nan")


def centre(side: int) -> Float[np.ndarray, "row column"]:
    """The baseline of the pointing game: a map that is brightest in the middle, from 0 to 1."""
    offsets = np.abs(np.arange(side) - (side - 1) / 2)
    distance = np.hypot(offsets[:, None], offsets[None])
    return 1.0 - distance / distance.max()
