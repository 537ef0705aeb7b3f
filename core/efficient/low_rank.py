"""Low rank: the best map of rank k, from a singular value decomposition (Eckart and Young 1936).

A bound rather than a method: no map that is a product of n x k and k x n, as Linformer's is without causality, comes
closer to the exact one. Wang et al. 2020 (section 3, figure 1) argue with the fast decay of the singular values.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from .exact import WrittenOut
from .variant import Rows, Variant, check_at_least

Factors = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True, kw_only=True)
class LowRank(Variant):
    """The exact map (the causal one, if causal), truncated to its `rank` largest singular values.

    These depend on the complete map: a row of the truncated map depends on later rows too, and weights above the
    diagonal are near 0, but not 0.
    """

    rank: int = 64
    # Precomputed singular vectors and values of the map, which take most of the time to compute.
    factors: Factors | None = field(default=None, compare=False, repr=False)

    looks_ahead: ClassVar[bool] = True

    def __post_init__(self):
        check_at_least(1, rank=self.rank)

    def output(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key value_dim"],
    ) -> Float[Tensor, "batch head query value_dim"]:
        if self.factors is None:
            exact = _exact(query, key, causal=self.causal)
            basis = right_singular_vectors(exact, self.rank)
            return (exact @ basis @ (basis.mT @ value.to(exact))).to(value.dtype)
        left, values, right = self._truncated_factors(query, key)
        return ((left * values[..., None, :]) @ (right @ value.to(right))).to(value.dtype)

    def weights(
        self,
        query: Float[Tensor, "*leading query head_dim"],
        key: Float[Tensor, "*leading key head_dim"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        left, values, right = self._truncated_factors(query, key)
        left = left if rows is None else left[..., rows.to(left.device), :]
        return (left * values[..., None, :]) @ right

    def multiplications(self, tokens: int, head_dim: int) -> int:
        """Those with precomputed factors; computing the factors costs more than the exact map."""
        return 2 * tokens * min(self.rank, tokens) * head_dim

    def _truncated_factors(self, query: Tensor, key: Tensor) -> Factors:
        left, values, right = self.factors or factors(query, key, causal=self.causal)
        leading_axes = query.shape[:-2]  # precomputed factors may have more or fewer axes of size 1
        left, values, right = (
            part.reshape(*leading_axes, *part.shape[-axes:]) for part, axes in ((left, 2), (values, 1), (right, 2))
        )
        return left[..., : self.rank], values[..., : self.rank], right[..., : self.rank, :]


def factors(
    query: Float[Tensor, "*leading query head_dim"], key: Float[Tensor, "*leading key head_dim"], *, causal: bool
) -> Factors:
    """U, the singular values and Vᵀ of the exact map, in descending order of the values."""
    left, values, right = torch.linalg.svd(_exact(query, key, causal=causal), full_matrices=False)
    return left, values, right


@torch.no_grad()
def right_singular_vectors(exact: Float[Tensor, "*leading query key"], rank: int) -> Float[Tensor, "*leading key _"]:
    """The first `rank` right singular vectors V of a map A: A V Vᵀ is the best map of that rank.

    No gradient passes through them, as that of single vectors is infinite where two singular values are equal; training
    follows the gradient of the map alone.
    """
    return torch.linalg.eigh(exact.mT @ exact).eigenvectors[..., -rank:]


def _exact(query: Tensor, key: Tensor, *, causal: bool) -> Float[Tensor, "*leading query key"]:
    return WrittenOut(causal=causal).weights(query.float(), key.float())
