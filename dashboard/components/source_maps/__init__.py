"""A picture that was drawn part by part: point at a part, see the words and the earlier parts that it was made from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, UInt8

from core.view import codec
from dashboard.components.kit import Component

__all__ = ["SourceLayer", "SourceScene", "source_maps"]

_show = Component(__file__)


@dataclass(frozen=True, eq=False)
class SourceLayer:
    """The weights of a layer, by head, from each part of the picture to words and to earlier parts.

    `about` names the parts that its mask lets a part attend to ("row"). Rows of both together sum to 1. The weights to
    the part itself and to later parts are 0.
    """

    name: str
    about: str
    words: Float[np.ndarray, "head place word"]
    parts: Float[np.ndarray, "head place key"]


@dataclass(frozen=True, eq=False)
class SourceScene:
    """All that one view shows: the picture, rows and columns of its parts, the words, the layers.

    `quiet` words are marks of the tokenizer; `start` is the part that is shown before the visitor chooses.
    """

    picture: UInt8[np.ndarray, "row column channel"]
    grid: tuple[int, int]
    words: tuple[str, ...]
    quiet: tuple[bool, ...]
    codes: tuple[int, ...]
    layers: tuple[SourceLayer, ...]
    start: int = 0
    title: str = ""

    def __post_init__(self):
        places = self.grid[0] * self.grid[1]
        if len(self.quiet) != len(self.words) or len(self.codes) != places or not self.layers:
            raise ValueError(
                f"{len(self.words)} words and {places} places do not fit {len(self.quiet)} marks, {len(self.codes)} "
                f"codes and {len(self.layers)} layers."
            )
        for layer in self.layers:
            heads = len(layer.words)
            shapes = (heads, places, len(self.words)), (heads, places, places)
            if (layer.words.shape, layer.parts.shape) != shapes:
                raise ValueError(
                    f"Layer {layer.name!r} has the shapes {layer.words.shape} and {layer.parts.shape}; its parts need "
                    f"{shapes[0]} and {shapes[1]}."
                )
            if np.triu(layer.parts).any():
                raise ValueError(f"Layer {layer.name!r} has a part that reads itself, or what comes later.")
        if not 0 <= self.start < places:
            raise ValueError(f"There is no part {self.start} to start with.")

    @cached_property
    def packed(self) -> dict:
        """The message for the browser, computed once."""
        message = {
            "title": self.title,
            "rows": self.grid[0],
            "columns": self.grid[1],
            "picture": codec.picture_address(self.picture),
            "words": [{"text": text, "quiet": quiet} for text, quiet in zip(self.words, self.quiet, strict=True)],
            "codes": list(self.codes),
            "start": self.start,
            "layers": [_layer(layer) for layer in self.layers],
        }
        return message | {"digest": codec.digest(message)}


def source_maps(scene: SourceScene, *, key: str, name: str) -> None:
    """Show a scene. Layer, head, part and word are chosen in the browser, and kept in the address bar (`map`, `part`,
    `word`, `map-photo`); `name` begins the names of files."""
    _show(key, {"scene": scene.packed, "name": f"attention-atlas-{name}"})


def _layer(layer: SourceLayer) -> dict:
    """The message of a layer. Only links between parts to which some head gives weight are sent: a mask hides most."""
    attended = layer.parts.any(axis=0)
    return {
        "name": layer.name,
        "about": layer.about,
        "heads": len(layer.words),
        "seen": codec.as_text(np.packbits(attended).tobytes()),
        "words": codec.weights_text(layer.words),
        "parts": codec.weights_text(layer.parts[:, attended]),
    }
