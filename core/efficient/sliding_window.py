"""Sliding window: every token looks at its neighbours only (Longformer, Beltagy et al. 2020, section 3.1)."""

from dataclasses import dataclass

from jaxtyping import Bool, Int
from torch import Tensor

from .sparse import Sparse
from .variant import at_least


@dataclass(frozen=True, kw_only=True)
class SlidingWindow(Sparse):
    """A query looks at `window` keys: half on each side; if causal, at itself and the window - 1 before it.

    Stacked, the windows reach farther: after L layers, L x (window - 1) tokens back.
    """

    window: int = 64

    def __post_init__(self):
        at_least(1, window=self.window)

    @property
    def block_size(self) -> int:
        """Blocks about as wide as the window waste little; very small or large ones are slow."""
        return max(16, min(64, self.window))

    @property
    def behind(self) -> int:
        """How many tokens back a query sees."""
        return self.window - 1 if self.causal else self.window // 2

    def gathered(self, place: int, blocks: int) -> list[int]:
        reach = -(-self.behind // self.block_size)
        last = place if self.causal else min(place + reach, blocks - 1)
        return list(range(max(0, place - reach), last + 1))

    def looks(self, queries: Int[Tensor, "..."], keys: Int[Tensor, "..."], tokens: int) -> Bool[Tensor, "..."]:  # noqa: ARG002
        return (queries - keys).abs() <= self.behind
