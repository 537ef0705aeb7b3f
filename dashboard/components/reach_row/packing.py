"""Strips of small maps and their photograph as the browser takes them."""

import base64
import io
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from dashboard.components.attention_view import codec

if TYPE_CHECKING:
    from dashboard.components.reach_row import Strip

SIDE = 420  # pixels: more than a tile ever has on the screen


def picture_of(picture: np.ndarray) -> str:
    """A small JPEG as a data URL."""
    small = Image.fromarray(picture)
    small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    small.save(file, "JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def strip_of(strip: "Strip") -> dict:
    """The message for one model; shares as float16."""
    tiles = [
        {
            "label": tile.label,
            "rows": tile.shares.shape[0],
            "columns": tile.shares.shape[1],
            "shares": codec.as_text(codec.write(tile.shares.astype(np.float32), "half")),
        }
        for tile in strip.tiles
    ]
    picture = {"picture": picture_of(strip.picture), "shape": list(strip.picture.shape[:2])}
    return picture | {"title": strip.title, "tiles": tiles, "chosen": list(strip.chosen), "grid": list(strip.grid)}


def patch_of(clicked: object) -> tuple[float, float] | None:
    """The place in a browser's message, or None for whatever else it may hold."""
    if not isinstance(clicked, dict):
        return None
    down, across = clicked.get("down"), clicked.get("across")
    if not isinstance(down, int | float) or not isinstance(across, int | float):
        return None
    return (float(down), float(across)) if 0 <= down < 1 and 0 <= across < 1 else None
