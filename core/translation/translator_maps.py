"""The attention maps of a translation, and the changes to a translator for an experiment."""

from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float
from torch import Tensor

from ..text import Tokens

Part = Literal["cross", "encoder", "decoder"]
Head = tuple[Part, int, int]  # (part, layer of this part, head), counted from 0
Cell = tuple[int, int]  # of a map: (target token, source token), counted from 0


@dataclass(frozen=True)
class Changes:
    """Changes to a model for one translation.

    `cut`: links masked in all cross-attention heads; `silenced`: heads whose weights are set to zero.
    """

    cut: frozenset[Cell] = frozenset()
    silenced: frozenset[Head] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.cut or self.silenced)


UNCHANGED = Changes()


@dataclass(frozen=True, eq=False)
class Aligned:
    """A source, a translation of it, and the attention of the model with that translation as its output.

    `maps` holds for each part one tensor for each layer; rows sum to 1, unless the model masks weights after its
    softmax. `measure` says what the numbers are: attention weights, or, for a model without attention, the influence of
    each source token (core/translation/influence.py). `log_probabilities` are those of each target token.
    """

    source: Tokens
    target: Tokens
    log_probabilities: tuple[float, ...]
    maps: dict[Part, tuple[Float[Tensor, "head query key"], ...]]
    measure: Literal["attention", "influence"] = "attention"

    @property
    def cross(self) -> tuple[Float[Tensor, "head target source"], ...]:
        """The cross-attention maps, layer by layer."""
        return self.maps["cross"]
