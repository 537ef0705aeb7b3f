"""Positions of names beside their marks, so that they cover neither one another nor a mark, nor leave the figure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

MARK = 7.0  # pixels from the middle of a mark to its edge
LETTER = 0.54  # the width of a letter as a share of its size


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels; `top` is above `bottom` and the smaller number."""

    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Whether the two have more than an edge in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def span(values: Float[np.ndarray, "point"], room: float) -> tuple[float, float]:
    """The range of an axis with room for names at both ends: `room` is a share of the extent of the values."""
    low, high = float(values.min()), float(values.max())
    wide = (high - low) * room or max(abs(high) * room, 0.05)
    return low - wide, high + wide


def shares(values: Float[np.ndarray, "point"], within: tuple[float, float]) -> Float[np.ndarray, "point"]:
    """Positions on an axis of the range `within`, from 0 to 1."""
    low, high = within
    return (values - low) / (high - low)


def name_positions(
    across: Float[np.ndarray, "point"],
    up: Float[np.ndarray, "point"],
    names: Sequence[str],
    *,
    width: float,
    height: float,
    size: float,
) -> list[str]:
    """For each mark the position of its name ("top center", ...), or "" if there is no room.

    `across` and `up` are shares of the picture's `width` and `height` in pixels, `size` is that of the letters. Names
    are placed from the left to the right, above their marks if they can.
    """
    x, y = across * width, (1 - up) * height
    occupied = [Box(a - MARK, a + MARK, b - MARK, b + MARK) for a, b in zip(x, y, strict=True)]
    positions = [""] * len(names)
    for point in np.argsort(x, kind="stable"):
        for position, box in boxes(float(x[point]), float(y[point]), LETTER * size * len(names[point]), size).items():
            others = [other for number, other in enumerate(occupied) if number != point]
            if box.left >= 0 and box.right <= width and not any(box.meets(other) for other in others):
                positions[point] = position
                occupied.append(box)
                break
    return positions


def boxes(x: float, y: float, wide: float, size: float) -> dict[str, Box]:
    """The box of a name at each position, by Plotly's names of positions, the better ones first."""
    half = size * 0.62
    return {
        "top center": Box(x - wide / 2, x + wide / 2, y - MARK - 2 * half, y - MARK),
        "bottom center": Box(x - wide / 2, x + wide / 2, y + MARK, y + MARK + 2 * half),
        "middle right": Box(x + MARK, x + MARK + wide, y - half, y + half),
        "middle left": Box(x - MARK - wide, x - MARK, y - half, y + half),
    }
