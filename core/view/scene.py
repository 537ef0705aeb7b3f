"""The content of an attention view: sequences, and layers of heads between them. Arrays only, no model inside."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt8


@dataclass(frozen=True)
class TextSequence:
    """Tokens of a text, in reading order.

    A label keeps its leading space, so that labels join to the text; a byte that is no character on its own is written
    as "‹E2›". `special` marks the tokens that the tokenizer added.
    """

    labels: tuple[str, ...]
    special: tuple[bool, ...] = ()

    def __post_init__(self):
        if not self.labels:
            raise ValueError("A text sequence needs at least one token.")
        if self.special and len(self.special) != len(self.labels):
            raise ValueError(
                f"{len(self.labels)} labels and {len(self.special)} special marks: give one mark for each label."
            )

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class PatchSequence:
    """Patches of a picture, row by row, after the prefix tokens (class, registers) that the model adds."""

    rows: int
    columns: int
    prefix: tuple[str, ...] = ()
    picture: UInt8[np.ndarray, "..."] | None = None  # (row, column, 3)

    def __post_init__(self):
        if self.rows < 1 or self.columns < 1:
            raise ValueError(f"A grid of {self.rows} x {self.columns} patches is empty: both sides must be at least 1.")
        if self.picture is not None and (self.picture.ndim != 3 or self.picture.shape[2] != 3):
            raise ValueError(f"A picture has the shape (row, column, 3), not {self.picture.shape}.")

    def __len__(self) -> int:
        return len(self.prefix) + self.rows * self.columns


Sequence = TextSequence | PatchSequence


@dataclass(frozen=True, eq=False)
class Layer:
    """One attention layer: the names of its `query` and `key` sequences, and a function that computes a head's weights.

    `label` is its label in the grid ("3"); `group` the name of its stack ("encoder"), where there are several.
    `allowed` returns the mask if there is one besides `causal`; NaN weights are displayed as such. `by_heads` returns
    the weights of all heads in their order, several at a time, where that is faster than one by one.
    """

    label: str
    query: str
    key: str
    heads: int
    weights: Callable[[int], Float[np.ndarray, "query key"]]
    path: str = ""
    kind: str = "self"
    group: str = ""
    causal: bool = False
    allowed: Callable[[], Bool[np.ndarray, "query key"]] | None = None
    by_heads: Callable[[], Iterable[Float[np.ndarray, "head query key"]]] | None = None

    def __post_init__(self):
        if self.heads < 1:
            raise ValueError(f"Layer {self.label!r} has {self.heads} heads: at least one is needed.")


@dataclass(frozen=True, eq=False)
class Scene:
    """All content of one view. Cache a scene while it is displayed: its overview is computed once, into `packed`.

    `start` is the layer and the head that are selected at first.
    """

    sequences: Mapping[str, Sequence]
    layers: tuple[Layer, ...]
    title: str = ""
    start: tuple[int, int] = (0, 0)
    packed: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self):
        if not self.layers:
            raise ValueError("A scene needs at least one layer.")
        if not self.has(*self.start):
            layer_number, head = self.start
            raise ValueError(f"A scene cannot start with layer {layer_number}, head {head}: it has no such head.")
        for number, layer in enumerate(self.layers):
            for name in (layer.query, layer.key):
                if name not in self.sequences:
                    known = ", ".join(map(repr, self.sequences))
                    raise ValueError(f"Layer {number} looks for a sequence {name!r}; this scene has {known}.")

    def has(self, layer: int, head: int) -> bool:
        """Whether the scene has this layer and head."""
        return 0 <= layer < len(self.layers) and 0 <= head < self.layers[layer].heads

    def shape(self, layer: int) -> tuple[int, int]:
        """Number of queries and of keys."""
        attention = self.layers[layer]
        return len(self.sequences[attention.query]), len(self.sequences[attention.key])

    def patterns(self, layer: int) -> Iterator[Float[np.ndarray, "head query key"]]:
        """The patterns of all heads in order, several at a time."""
        links, attention = self.links(layer), self.layers[layer]
        if attention.by_heads is None:
            return (self._pattern(layer, head, attention.weights(head), links)[None] for head in range(attention.heads))
        return (self._pattern(layer, None, weights, links) for weights in attention.by_heads())

    def pattern(self, layer: int, head: int) -> Float[np.ndarray, "query key"]:
        """The weights of one head; -1 where the mask forbids a link, NaN where the weights are NaN."""
        attention = self.layers[layer]
        if not 0 <= head < attention.heads:
            raise ValueError(f"Layer {layer} has heads 0 to {attention.heads - 1}; head {head} was asked for.")
        return self._pattern(layer, head, attention.weights(head), self.links(layer))

    def _pattern(self, layer: int, head: int | None, raw_weights: np.ndarray, links: np.ndarray) -> np.ndarray:
        attention, weights = self.layers[layer], np.array(raw_weights, dtype=np.float32)
        if weights.shape[-2:] != self.shape(layer):
            which = "its heads" if head is None else f"head {head}"
            raise ValueError(
                f"Layer {layer}, {which} gave weights of shape {weights.shape}; "
                f"its sequences {attention.query!r} and {attention.key!r} need {self.shape(layer)}."
            )
        weights[..., ~links] = -1
        return weights

    def links(self, layer: int) -> Bool[np.ndarray, "query key"]:
        """The mask: which query may attend to which key."""
        attention = self.layers[layer]
        queries, keys = self.shape(layer)
        allowed = np.ones((queries, keys), bool) if attention.allowed is None else np.array(attention.allowed(), bool)
        if allowed.shape != (queries, keys):
            raise ValueError(f"Layer {layer} has a mask of shape {allowed.shape}; it needs {(queries, keys)}.")
        return allowed & np.tri(queries, keys, keys - queries, dtype=bool) if attention.causal else allowed
