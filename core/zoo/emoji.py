"""The emoji that a CLIP of the project was trained on: small pictures with their names.

Pictures of googlefonts/noto-emoji (Apache-2.0), names of github/gemoji (MIT), joined by code point.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import UInt8
from PIL import Image

from ..errors import ModelError
from .embedded import WEIGHTS

SIDE = 64
ACROSS = 44  # pictures in a row of the sheet


@dataclass(frozen=True)
class Emoji:
    """A character with its description and further names; `learned`: whether the CLIP was trained on it."""

    character: str
    description: str
    names: tuple[str, ...]
    learned: bool


@lru_cache(maxsize=1)
def emoji(folder: Path = WEIGHTS / "clip") -> tuple[Emoji, ...]:
    """All emoji, in the order of the sheet."""
    file = folder / "emoji.json"
    if not file.exists():
        raise ModelError("The emoji are missing from clip/. Fetch the project again.")
    return tuple(
        Emoji(entry["emoji"], entry["description"], tuple(entry["names"]), entry["learned"])
        for entry in json.loads(file.read_text(encoding="utf-8"))
    )


@lru_cache(maxsize=1)
def pictures(folder: Path = WEIGHTS / "clip") -> UInt8[np.ndarray, "draw row column channel"]:
    """The pictures of all emoji, in the order of the sheet, on white."""
    with Image.open(folder / "emoji.webp") as sheet:
        pixels = np.asarray(sheet.convert("RGB"))
    rows, columns = pixels.shape[0] // SIDE, pixels.shape[1] // SIDE
    tiles = pixels.reshape(rows, SIDE, columns, SIDE, 3).swapaxes(1, 2).reshape(-1, SIDE, SIDE, 3)
    return np.ascontiguousarray(tiles[: len(emoji(folder))])


def picture_of(character: str) -> UInt8[np.ndarray, "row column channel"]:
    """The picture of an emoji; KeyError for any other character."""
    return pictures()[_places()[character]]


@lru_cache(maxsize=1)
def _places() -> dict[str, int]:
    return {entry.character: place for place, entry in enumerate(emoji())}
