"""A photograph many times over, once after each block of a model: it appears as far as it has come. A click chooses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt8

from core.view import codec
from dashboard.components.kit import Component, choosing

__all__ = ["Strip", "Tile", "reach_row"]

SIDE = 420  # pixels: more than a tile ever has on the screen

_show = Component(__file__)


@dataclass(frozen=True, eq=False)
class Tile:
    """One small map over the photograph: shares (row, column) from 0 to 1, -1 where nothing can have come."""

    label: str
    shares: np.ndarray


@dataclass(frozen=True, eq=False)
class Strip:
    """The tiles of one model, and the patch that is chosen: row, column, on a grid of rows x columns."""

    title: str
    picture: UInt8[np.ndarray, "row column channel"]
    tiles: Sequence[Tile]
    chosen: tuple[int, int]
    grid: tuple[int, int]


def reach_row(
    strips: Sequence[Strip],
    *,
    key: str,
    name: str,
    alt: str,
    tell: str,
    never: str,
    faintest: float,
    on_choose: Callable[[float, float], None],
) -> None:
    """Show the strips one below the other.

    The colour scale is logarithmic, from `faintest` to 1. `tell` is the sentence for the patch under the pointer, with
    {title}, {label}, {row}, {column} and {value} in it; `never` the one where nothing can have come. `on_choose(down,
    across)` is called with a place of the picture, 0 to 1 each way, before the page runs again. `alt` says what is to
    be seen; `name` begins the names of files.
    """
    data: dict[str, Any] = {"strips": [strip_of(strip) for strip in strips], "tell": tell, "never": never, "alt": alt}
    data |= {"name": f"attention-atlas-{name}", "faintest": faintest}

    _show(key, data, clicked=choosing(patch_of, on_choose))


def strip_of(strip: Strip) -> dict:
    """The message for one model; shares as float16."""
    tiles = [
        {
            "label": tile.label,
            "rows": tile.shares.shape[0],
            "columns": tile.shares.shape[1],
            "shares": codec.weights_text(tile.shares.astype(np.float32)),
        }
        for tile in strip.tiles
    ]
    picture = {"picture": codec.picture_address(strip.picture, SIDE), "shape": list(strip.picture.shape[:2])}
    return picture | {"title": strip.title, "tiles": tiles, "chosen": list(strip.chosen), "grid": list(strip.grid)}


def patch_of(clicked: object) -> tuple[float, float] | None:
    """The place in a browser's message, or None for whatever else it may hold."""
    if not isinstance(clicked, Mapping):
        return None
    down, across = clicked.get("down"), clicked.get("across")
    if not isinstance(down, int | float) or not isinstance(across, int | float):
        return None
    return (float(down), float(across)) if 0 <= down < 1 and 0 <= across < 1 else None
