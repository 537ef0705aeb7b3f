"""Photographs in a row, one for each block of a model, veiled except where information has reached a chosen patch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt8

from core.view import codec
from dashboard.components.kit import Component, selection_callback

__all__ = ["Strip", "Tile", "reach_row"]

SIDE = 420  # pixels: more than a tile ever has on the screen

_show = Component(__file__)


@dataclass(frozen=True, eq=False)
class Tile:
    """One small map over the photograph: shares (row, column) from 0 to 1, -1 where no information can come from."""

    label: str
    shares: np.ndarray


@dataclass(frozen=True, eq=False)
class Strip:
    """The tiles of one model, and the chosen patch (row, column) on a grid of (rows, columns)."""

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
    {title}, {label}, {row}, {column} and {value} in it; `never` is that for a patch of share -1. `on_choose(down,
    across)` is called with a place of the picture, 0 to 1 each way, before the page runs again. `alt`
    describes the row for screen readers; `name` begins the names of files.
    """
    data: dict[str, Any] = {"strips": [strip_of(strip) for strip in strips], "tell": tell, "never": never, "alt": alt}
    data |= {"name": f"attention-atlas-{name}", "faintest": faintest}

    _show(key, data, clicked=selection_callback(patch_of, on_choose))


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


def patch_of(message: object) -> tuple[float, float] | None:
    """The place (down, across), 0 to 1, in a browser's message; None if there is no valid one."""
    if not isinstance(message, Mapping):
        return None
    down, across = message.get("down"), message.get("across")
    if not isinstance(down, int | float) or not isinstance(across, int | float):
        return None
    return (float(down), float(across)) if 0 <= down < 1 and 0 <= across < 1 else None
