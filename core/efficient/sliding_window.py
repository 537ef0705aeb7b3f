"""Sliding window: every token attends to its neighbours only (Longformer, Beltagy et al. 2020, section 3.1)."""

from dataclasses import dataclass

from jaxtyping import Bool, Int
from torch import Tensor

from .sparse import Sparse
from .variant import check_at_least


@dataclass(frozen=True, kw_only=True)
class SlidingWindow(Sparse):
    """A query attends to `window` keys: half on each side; if causal, to itself and the window - 1 before it.

    Stacked layers reach farther: L layers reach L x (window - 1) tokens back.
    """

    window: int = 64

    def __post_init__(self):
        check_at_least(1, window=self.window)

    @property
    def block_size(self) -> int:
        """The number of tokens in a block: the window's, within 16 and 64, which is fastest."""
        return max(16, min(64, self.window))

    @property
    def tokens_before(self) -> int:
        """The number of tokens before it that a query attends to."""
        return self.window - 1 if self.causal else self.window // 2

    def gathered(self, number: int, blocks: int) -> list[int]:
        reach = -(-self.tokens_before // self.block_size)
        last = number if self.causal else min(number + reach, blocks - 1)
        return list(range(max(0, number - reach), last + 1))

    def attends(self, queries: Int[Tensor, "..."], keys: Int[Tensor, "..."], tokens: int) -> Bool[Tensor, "..."]:  # noqa: ARG002
        return (queries - keys).abs() <= self.tokens_before
