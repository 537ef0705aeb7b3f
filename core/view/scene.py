"""What there is to see: sequences, and layers of heads that connect them. Arrays only, no model inside."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt8


@dataclass(frozen=True)
class TextSequence:
    """Tokens of a text, in reading order.

    A label keeps its leading space, so that the words can be put together again; a byte that is no
    character of its own is written out ("‹E2›"). `special` marks what the tokeniser added.
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
    """One attention layer: who looks (`query`), at what (`key`), and each head's weights, computed when asked for.

    `label` is what the grid shows ("3"); `group` names the stack it belongs to ("encoder"), where there are several.
    `allowed` is the mask if it is more than `causal`; weights that are NaN are shown as such. `by_heads` gives the
    weights of all heads in their order, several at a time, where that is quicker than one by one.
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
    """All that one view shows. Keep a scene (in a cache) as long as it is shown: its overview is computed once,
    and kept in `packed`.

    `start` is the layer and the head in view before the visitor chooses.
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
        for place, layer in enumerate(self.layers):
            for name in (layer.query, layer.key):
                if name not in self.sequences:
                    known = ", ".join(map(repr, self.sequences))
                    raise ValueError(f"Layer {place} looks for a sequence {name!r}; this scene has {known}.")

    def has(self, layer: int, head: int) -> bool:
        """Whether there is such a head."""
        return 0 <= layer < len(self.layers) and 0 <= head < self.layers[layer].heads

    def shape(self, layer: int) -> tuple[int, int]:
        """Number of queries and of keys."""
        there = self.layers[layer]
        return len(self.sequences[there.query]), len(self.sequences[there.key])

    def patterns(self, layer: int) -> Iterator[Float[np.ndarray, "head query key"]]:
        """The patterns of all heads, in order, some at a time."""
        links, there = self.links(layer), self.layers[layer]
        if there.by_heads is None:
            return (self._pattern(layer, head, there.weights(head), links)[None] for head in range(there.heads))
        return (self._pattern(layer, None, weights, links) for weights in there.by_heads())

    def pattern(self, layer: int, head: int) -> Float[np.ndarray, "query key"]:
        """The weights of one head; -1 where the mask does not allow a link, NaN where there is no number."""
        there = self.layers[layer]
        if not 0 <= head < there.heads:
            raise ValueError(f"Layer {layer} has heads 0 to {there.heads - 1}; head {head} was asked for.")
        return self._pattern(layer, head, there.weights(head), self.links(layer))

    def _pattern(self, layer: int, head: int | None, given: np.ndarray, links: np.ndarray) -> np.ndarray:
        there, weights = self.layers[layer], np.array(given, dtype=np.float32)
        if weights.shape[-2:] != self.shape(layer):
            which = "its heads" if head is None else f"head {head}"
            raise ValueError(
                f"Layer {layer}, {which} gave weights of shape {weights.shape}; "
                f"its sequences {there.query!r} and {there.key!r} need {self.shape(layer)}."
            )
        weights[..., ~links] = -1
        return weights

    def links(self, layer: int) -> Bool[np.ndarray, "query key"]:
        """Which query may look at which key."""
        there = self.layers[layer]
        queries, keys = self.shape(layer)
        allowed = np.ones((queries, keys), bool) if there.allowed is None else np.array(there.allowed(), bool)
        if allowed.shape != (queries, keys):
            raise ValueError(f"Layer {layer} has a mask of shape {allowed.shape}; it needs {(queries, keys)}.")
        return allowed & np.tri(queries, keys, keys - queries, dtype=bool) if there.causal else allowed
