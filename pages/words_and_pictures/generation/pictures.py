"""Small pictures enlarged, put side by side, and how far one is from another."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, UInt8

from dashboard.theme import Look

GAP = 10  # pixels between two pictures of a sheet


def enlarged(picture: UInt8[np.ndarray, "row column channel"], times: int) -> UInt8[np.ndarray, "_ _ channel"]:
    """Each pixel as a square of pixels: nothing is smoothed that the network drew."""
    return np.kron(picture, np.ones((times, times, 1), dtype=np.uint8))


def sheet(
    pictures: Sequence[UInt8[np.ndarray, "row column channel"]], *, across: int, times: int, gap: int = GAP, look: Look
) -> UInt8[np.ndarray, "_ _ channel"]:
    """Pictures of one size in rows of `across`, on the page's own colour."""
    high, wide = (times * side for side in pictures[0].shape[:2])
    down = -(-len(pictures) // across)
    canvas = np.empty((down * (high + gap) - gap, across * (wide + gap) - gap, 3), dtype=np.uint8)
    canvas[:] = rgb(look.palette.paper)
    for number, picture in enumerate(pictures):
        top, left = (number // across) * (high + gap), (number % across) * (wide + gap)
        canvas[top : top + high, left : left + wide] = enlarged(picture, times)
    return canvas


def begun(
    rows: UInt8[np.ndarray, "row column channel"], side: int, look: Look
) -> UInt8[np.ndarray, "_ column channel"]:
    """The upper rows of a picture, with what is still to come in the colour of rules."""
    canvas = np.empty((side, rows.shape[1], 3), dtype=np.uint8)
    canvas[:] = rgb(look.palette.hair)
    canvas[: len(rows)] = rows
    return canvas


def rgb(colour: str) -> tuple[int, ...]:
    """Red, green and blue of "#rrggbb"."""
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))


def difference(
    one: UInt8[np.ndarray, "row column channel"], other: UInt8[np.ndarray, "row column channel"]
) -> UInt8[np.ndarray, "row column channel"]:
    """How far each pixel moved, the mean of its colours: white where nothing did, black where the most did."""
    moved = apart(one, other)
    scaled = 255 * (1 - moved / max(float(moved.max()), 1e-6))
    return np.repeat(scaled.round().astype(np.uint8)[..., None], 3, axis=2)


def apart(
    one: UInt8[np.ndarray, "row column channel"], other: UInt8[np.ndarray, "row column channel"]
) -> Float[np.ndarray, "row column"]:
    """The mean distance of the colours of each pixel, values 0 to 1."""
    return (np.abs(one.astype(np.float32) - other.astype(np.float32)).mean(axis=2) / 255).astype(np.float32)
