"""Words beside a picture, and a map over it for each: point at a word, see the region; at a region, see the words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, UInt8

from core.view import codec
from dashboard.components.kit import Component, place_of, selection_callback

__all__ = ["MappedWord", "WordMap", "WordScene", "word_maps"]

_show = Component(__file__)
BUDGET = 2_600_000  # bytes of maps as float16; what is more goes as one byte a weight


@dataclass(frozen=True)
class MappedWord:
    """A word as the model wrote or read it.

    `tell` is added to the sentence about it; `bar` is a number from 0 to 1 that is drawn below it, such as a gate;
    `mask`: the pixels that it refers to, if known; `quiet`: a token without a meaning of its own, such as an end mark.
    """

    text: str
    tell: str = ""
    bar: float | None = None
    mask: Bool[np.ndarray, "_ _"] | None = None
    quiet: bool = False


@dataclass(frozen=True, eq=False)
class WordMap:
    """Values between words and places of the picture, places row by row; values below 0 are drawn like 0.

    `name` is the label to choose it by, and its value in the address; `group` is the heading above it. `says` is the
    sentence about a value, with {word} and {share}.
    """

    name: str
    values: Float[np.ndarray, "word patch"]
    group: str = ""
    says: str = "“{word}” gives {share} of its attention"


@dataclass(frozen=True, eq=False)
class WordScene:
    """All that one view shows; `start` is the index of the word, `first` that of the map, before a visitor chooses."""

    picture: UInt8[np.ndarray, "row column channel"]
    grid: tuple[int, int]
    words: tuple[MappedWord, ...]
    maps: tuple[WordMap, ...]
    title: str = ""
    start: int = 0
    first: int = 0
    photo: str = "ink"  # how the map lies over the picture at first: "colour" where colours matter

    def __post_init__(self):
        if not self.words or not self.maps:
            raise ValueError("A scene needs at least one word and one map.")
        shape = (len(self.words), self.grid[0] * self.grid[1])
        for word_map in self.maps:
            if word_map.values.shape != shape:
                raise ValueError(
                    f"Map {word_map.name!r} has the shape {word_map.values.shape}; its words need {shape}."
                )
        names = [word_map.name for word_map in self.maps]
        if len(set(names)) < len(names):
            raise ValueError(f"Each map needs a name of its own, but they are {names}.")
        if not 0 <= self.start < len(self.words) or not 0 <= self.first < len(self.maps):
            raise ValueError(f"There is no word {self.start} or no map {self.first} to start with.")

    @cached_property
    def packed(self) -> dict:
        """The message for the browser, computed once."""
        cells = len(self.maps) * len(self.words) * self.grid[0] * self.grid[1]
        code: codec.Code = "half" if 2 * cells <= BUDGET else "root"
        message = {
            "title": self.title,
            "rows": self.grid[0],
            "columns": self.grid[1],
            "picture": codec.picture_address(self.picture),
            "code": code,
            "start": self.start,
            "first": self.first,
            "photo": self.photo,
            "words": [_word(word) for word in self.words],
            "maps": [_map(word_map, code) for word_map in self.maps],
        }
        return message | {"digest": codec.digest(message)}


def word_maps(
    scene: WordScene,
    *,
    key: str,
    name: str,
    address: bool = True,
    on_word: Callable[[int], None] | None = None,
) -> None:
    """Show a scene. Word, map and look are chosen in the browser, without the server.

    `address` keeps them in the address bar (`map`, `word`, `map-photo`), for one view of a page only. `on_word(place)`
    is called, before the page runs again, when a word is clicked; `name` begins the names of files.
    """
    data = {"scene": scene.packed, "name": f"attention-atlas-{name}", "address": address, "asks": on_word is not None}

    def read(message: object) -> tuple[int, ...] | None:
        return place_of(message, word=len(scene.words)) if isinstance(message, Mapping) else None

    _show(key, data, clicked=selection_callback(read, on_word))


def _word(word: MappedWord) -> dict:
    mask = None
    if word.mask is not None:
        mask = {"side": int(word.mask.shape[0]), "bits": codec.as_text(np.packbits(word.mask).tobytes())}
    bar = None if word.bar is None else float(word.bar)
    return {"text": word.text, "tell": word.tell, "bar": bar, "mask": mask, "quiet": word.quiet}


def _map(word_map: WordMap, code: codec.Code) -> dict:
    """The message of a map. Values are divided by the largest magnitude, so that small gradients stay precise."""
    values = np.nan_to_num(np.asarray(word_map.values, dtype=np.float32))
    largest = float(np.abs(values).max()) or 1.0
    sent = values / largest if code == "half" else np.maximum(values, 0) / largest
    return {
        "name": word_map.name,
        "group": word_map.group,
        "says": word_map.says,
        "largest": largest,
        "values": codec.weights_text(sent, code),
    }
