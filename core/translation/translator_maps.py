"""What a translator looked at while it wrote, and what a visitor may change in it before it writes again."""

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
    """What a visitor did to a model before it translates again.

    `cut`: links that no head of the decoder may use; `silenced`: heads that say nothing.
    """

    cut: frozenset[Cell] = frozenset()
    silenced: frozenset[Head] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.cut or self.silenced)


UNCHANGED = Changes()


@dataclass(frozen=True, eq=False)
class Aligned:
    """A source, a translation of it, and what the model looked at while it was made to write just that.

    `maps` holds for each part one tensor for each layer; rows sum to 1, but where the model masks its softmax.
    `measure` says what the numbers are: attention weights, or, for a model without attention, the influence of each
    source token (core/translation/influence.py). `log_probabilities` are those of each target token.
    """

    source: Tokens
    target: Tokens
    log_probabilities: tuple[float, ...]
    maps: dict[Part, tuple[Float[Tensor, "head query key"], ...]]
    measure: Literal["attention", "influence"] = "attention"

    @property
    def cross(self) -> tuple[Float[Tensor, "head target source"], ...]:
        """The maps between target and source, layer by layer."""
        return self.maps["cross"]
