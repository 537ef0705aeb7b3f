"""A photograph and the attention layers over it, each with what computes the weights of a query."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Int, UInt8


@dataclass(frozen=True, eq=False)
class Dense:
    """Complete maps: `weights(head)`, prefix tokens first, then the patches row by row."""

    weights: Callable[[int], Float[np.ndarray, "query key"]]


@dataclass(frozen=True, eq=False)
class Factors:
    """Queries and keys without mask or bias, from which the weights are softmax(query key^T * scale).

    Far smaller than the maps if there are many tokens: the browser computes each row that is displayed. `behind` is a
    mask: a token attends only to tokens at least so many places before it (1: strictly causal), and to the first
    token. None: all tokens attend to all.
    """

    query: Float[np.ndarray, "head token head_dim"]
    key: Float[np.ndarray, "head token head_dim"]
    scale: float
    behind: int | None = None

    def weights(self, head: int) -> Float[np.ndarray, "query key"]:
        """The map of a head."""
        scores = (self.query[head].astype(np.float32) * np.float32(self.scale)) @ self.key[head].astype(np.float32).T
        if self.behind is not None:
            visible = np.tri(len(scores), k=-self.behind, dtype=bool)
            visible[:, 0] = True
            scores[~visible] = -np.inf
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores


@dataclass(frozen=True, eq=False)
class Windows:
    """Maps within windows: `weights(head)`, and `places`, the place of each position of a window on the layer's grid.

    A place is row * columns + column, or -1 for padding, which gets attention and has no place.
    """

    weights: Callable[[int], Float[np.ndarray, "window query key"]]
    places: Int[np.ndarray, "window position"]


Answers = Dense | Factors | Windows


@dataclass(frozen=True, eq=False)
class PhotoLayer:
    """One attention layer whose tokens are patches of the photograph, after its `prefix` tokens.

    `label` stands in the selection of layers ("3"); `group` names its stage, if there are several; `path` is the module
    that ran. `difference`: the values are differences of the weights of two heads, not weights. `absent`: places that
    the layer never sees; their rows and columns are 0. `unit`: the name of a patch, such as "pixel".
    """

    label: str
    heads: int
    rows: int
    columns: int
    answers: Answers
    prefix: tuple[str, ...] = ()
    path: str = ""
    group: str = ""
    difference: bool = False
    absent: tuple[int, ...] = ()
    unit: str = "patch"

    def __post_init__(self):
        if min(self.heads, self.rows, self.columns) < 1:
            raise ValueError(
                f"Layer {self.label!r} has {self.heads} heads and {self.rows} x {self.columns} patches: none of them "
                "may be 0."
            )
        if self.absent and not isinstance(self.answers, Dense):
            raise ValueError(f"Layer {self.label!r} says which places it never sees: then it needs whole maps.")
        if isinstance(self.answers, Factors):
            self._check_factors(self.answers)
        if isinstance(self.answers, Windows):
            self._check_places(self.answers.places)

    @property
    def tokens(self) -> int:
        """The number of tokens: prefix tokens and patches."""
        return len(self.prefix) + self.rows * self.columns

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights of one head."""
        if isinstance(self.answers, Windows):
            windows, positions = self.answers.places.shape
            return windows, positions, positions
        return self.tokens, self.tokens

    def weights(self, head: int) -> np.ndarray:
        """The weights of one head, float32, of shape `self.shape`."""
        if not 0 <= head < self.heads:
            raise ValueError(f"Layer {self.label!r} has heads 0 to {self.heads - 1}; head {head} was asked for.")
        weights = np.asarray(self.answers.weights(head), dtype=np.float32)
        if weights.shape != self.shape:
            raise ValueError(
                f"Layer {self.label!r}, head {head} gave weights of shape {weights.shape}; its patches need "
                f"{self.shape}."
            )
        return weights

    def _check_factors(self, answers: Factors) -> None:
        for name, array in (("queries", answers.query), ("keys", answers.key)):
            if array.ndim != 3 or array.shape[:2] != (self.heads, self.tokens):
                raise ValueError(
                    f"Layer {self.label!r} has {self.heads} heads and {self.tokens} tokens, but {name} of shape "
                    f"{array.shape}."
                )

    def _check_places(self, places: np.ndarray) -> None:
        if self.prefix:
            raise ValueError(f"Layer {self.label!r} has windows, so no prefix token: {self.prefix} have no window.")
        real = places[places >= 0]
        if places.ndim != 2 or len(np.unique(real)) < len(real):
            raise ValueError(f"Layer {self.label!r}: each place of its grid lies in one window only.")
        if real.size and real.max() >= self.rows * self.columns:
            raise ValueError(
                f"Layer {self.label!r} has the places 0 to {self.rows * self.columns - 1}; a window holds {real.max()}."
            )


@dataclass(frozen=True, eq=False)
class PhotoScene:
    """All that one view shows. Cache a scene as long as it is displayed: its overview is computed once, and kept in
    `packed`.

    `start` is the layer and the head in view before the visitor chooses one; `place` the query patch at the start, if
    it is not a prefix token or the mean over all.
    """

    picture: UInt8[np.ndarray, "row column channel"]
    layers: tuple[PhotoLayer, ...]
    title: str = ""
    start: tuple[int, int] = (0, 0)
    place: int | None = None
    packed: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self):
        if not self.layers:
            raise ValueError("A scene needs at least one layer.")
        if not self.has(*self.start):
            raise ValueError(f"A scene cannot start with layer {self.start[0]}, head {self.start[1]}: it has none.")

    def has(self, layer: int, head: int) -> bool:
        """Whether the scene has this layer and head."""
        return 0 <= layer < len(self.layers) and 0 <= head < self.layers[layer].heads
