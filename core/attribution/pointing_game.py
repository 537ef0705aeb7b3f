"""Whether the bright spot is the right one: maps over a picture against the pixels that a word means."""

import numpy as np
from jaxtyping import Bool, Float


def over_pixels(grid: Float[np.ndarray, "row column"], side: int) -> Float[np.ndarray, "_ _"]:
    """A map over patches as one over pixels: each patch spreads its value evenly; the sum stays.

    ValueError where the patches do not fill the picture evenly.
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
    """How much of a map lies inside the mask; what is below 0 counts as 0. NaN where there is nothing, or no mask."""
    seen = np.maximum(pixels, 0.0)
    total = float(seen.sum())
    return float(seen[mask].sum()) / total if total > 0 and mask.any() else float("nan")


def centre(side: int) -> Float[np.ndarray, "row column"]:
    """The map of somebody who always points at the middle: brighter the nearer to it."""
    along = np.abs(np.arange(side) - (side - 1) / 2)
    far = np.hypot(along[:, None], along[None])
    return 1.0 - far / far.max()
