"""Exact attention, n x n: with torch's fused kernel, and written out in full."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from .variant import Rows, Variant, check_lengths, chosen_rows, later, scores


@dataclass(frozen=True, kw_only=True)
class WrittenOut(Variant):
    """softmax(Q Kᵀ / sqrt(d)) V, with all n x n scores and weights in memory (Vaswani et al. 2017, equation 1)."""

    def output(
        self,
        query: Float[Tensor, "batch head query each"],
        key: Float[Tensor, "batch head key each"],
        value: Float[Tensor, "batch head key each_value"],
    ) -> Float[Tensor, "batch head query each_value"]:
        return self.weights(query, key).to(value.dtype) @ value

    def weights(
        self,
        query: Float[Tensor, "*leading query each"],
        key: Float[Tensor, "*leading key each"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        tokens = check_lengths(query, key)
        places = chosen_rows(tokens, rows, query.device)
        found = scores(query if rows is None else query[..., places, :], key)
        return (found.masked_fill(later(places, tokens), -math.inf) if self.causal else found).softmax(dim=-1)

    def multiplications(self, tokens: int, each: int) -> int:
        """Of scores and of values, for every pair; those above the diagonal are thrown away afterwards."""
        return 2 * tokens**2 * each


@dataclass(frozen=True, kw_only=True)
class Fused(WrittenOut):
    """The same in one kernel, tile by tile, which never holds more than a tile (Dao et al. 2022, FlashAttention)."""

    def output(
        self,
        query: Float[Tensor, "batch head query each"],
        key: Float[Tensor, "batch head key each"],
        value: Float[Tensor, "batch head key each_value"],
    ) -> Float[Tensor, "batch head query each_value"]:
        check_lengths(query, key)
        return F.scaled_dot_product_attention(query, key, value, is_causal=self.causal)

    def multiplications(self, tokens: int, each: int) -> int:
        """With `causal`, tiles above the diagonal are left out; those that it cuts are counted by their half."""
        pairs = tokens * (tokens + 1) // 2 if self.causal else tokens**2
        return 2 * pairs * each


def masked(
    query: Float[Tensor, "*leading query each"], key: Float[Tensor, "*leading key each"], allowed: Tensor
) -> Float[Tensor, "*leading query key"]:
    """Exact weights over the allowed keys alone."""
    return scores(query, key).masked_fill(~allowed, -torch.inf).softmax(dim=-1)
