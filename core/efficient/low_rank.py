"""Low rank: the best map of rank k that there is, from a singular value decomposition (Eckart and Young 1936).

No method, but a bound: a map that is a product of n x k and k x n, as Linformer's is without causality, comes no nearer
to the exact one. Wang et al. 2020 (section 3, figure 1) take the fast fall of the singular values as their reason.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from .exact import WrittenOut
from .variant import Rows, Variant, at_least

Factors = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True, kw_only=True)
class LowRank(Variant):
    """The `rank` largest singular values of the exact map (the causal one, if causal) and their vectors.

    They depend on the whole map: a row of the truncated map is made of later rows too, and what lies above the
    diagonal is near 0, but not 0.
    """

    rank: int = 64
    # Singular vectors and values of the very map that is asked for, where somebody keeps them: they take the time.
    factors: Factors | None = field(default=None, compare=False, repr=False)

    looks_ahead: ClassVar[bool] = True

    def __post_init__(self):
        at_least(1, rank=self.rank)

    def output(
        self,
        query: Float[Tensor, "batch head query each"],
        key: Float[Tensor, "batch head key each"],
        value: Float[Tensor, "batch head key each_value"],
    ) -> Float[Tensor, "batch head query each_value"]:
        if self.factors is None:
            exact = _exact(query, key, causal=self.causal)
            onto = strongest(exact, self.rank)
            return (exact @ onto @ (onto.mT @ value.to(exact))).to(value.dtype)
        left, values, right = self._decomposed(query, key)
        return ((left * values[..., None, :]) @ (right @ value.to(right))).to(value.dtype)

    def weights(
        self,
        query: Float[Tensor, "*leading query each"],
        key: Float[Tensor, "*leading key each"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        left, values, right = self._decomposed(query, key)
        left = left if rows is None else left[..., rows.to(left.device), :]
        return (left * values[..., None, :]) @ right

    def multiplications(self, tokens: int, each: int) -> int:
        """With the factors given; to find them costs more than the exact map."""
        return 2 * tokens * min(self.rank, tokens) * each

    def _decomposed(self, query: Tensor, key: Tensor) -> Factors:
        left, values, right = self.factors or factors(query, key, causal=self.causal)
        lead = query.shape[:-2]  # kept factors may have axes of one more or less
        left, values, right = (
            part.reshape(*lead, *part.shape[-axes:]) for part, axes in ((left, 2), (values, 1), (right, 2))
        )
        return left[..., : self.rank], values[..., : self.rank], right[..., : self.rank, :]


def factors(
    query: Float[Tensor, "*leading query each"], key: Float[Tensor, "*leading key each"], *, causal: bool
) -> Factors:
    """U, the singular values and Vᵀ of the exact map, the largest value first."""
    left, values, right = torch.linalg.svd(_exact(query, key, causal=causal), full_matrices=False)
    return left, values, right


@torch.no_grad()
def strongest(exact: Float[Tensor, "*leading query key"], rank: int) -> Float[Tensor, "*leading key _"]:
    """The first right singular vectors V of a map A: A V Vᵀ is the best map of that rank.

    No gradient passes through them. Where two singular values meet, that of single vectors is infinite; what they
    span has one, but the map's own is what a training goes by.
    """
    return torch.linalg.eigh(exact.mT @ exact).eigenvectors[..., -rank:]


def _exact(query: Tensor, key: Tensor, *, causal: bool) -> Float[Tensor, "*leading query key"]:
    return WrittenOut(causal=causal).weights(query.float(), key.float())
