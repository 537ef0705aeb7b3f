"""Exact attention, n x n: with torch's fused kernel, and with explicit weights."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from .variant import Rows, Variant, check_lengths, later_keys, row_positions, scores


@dataclass(frozen=True, kw_only=True)
class WrittenOut(Variant):
    """softmax(Q Kᵀ / sqrt(d)) V, with all n x n scores and weights in memory (Vaswani et al. 2017, equation 1)."""

    def output(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key value_dim"],
    ) -> Float[Tensor, "batch head query value_dim"]:
        return self.weights(query, key).to(value.dtype) @ value

    def weights(
        self,
        query: Float[Tensor, "*leading query head_dim"],
        key: Float[Tensor, "*leading key head_dim"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        tokens = check_lengths(query, key)
        positions = row_positions(tokens, rows, query.device)
        row_scores = scores(query if rows is None else query[..., positions, :], key)
        if self.causal:
            row_scores = row_scores.masked_fill(later_keys(positions, tokens), -math.inf)
        return row_scores.softmax(dim=-1)

    def multiplications(self, tokens: int, head_dim: int) -> int:
        """Those of scores and of values for every pair, also above the diagonal, where they are masked afterwards."""
        return 2 * tokens**2 * head_dim


@dataclass(frozen=True, kw_only=True)
class Fused(WrittenOut):
    """Exact attention in one kernel, tile by tile, with only a tile in memory (Dao et al. 2022, FlashAttention)."""

    def output(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key value_dim"],
    ) -> Float[Tensor, "batch head query value_dim"]:
        check_lengths(query, key)
        return F.scaled_dot_product_attention(query, key, value, is_causal=self.causal)

    def multiplications(self, tokens: int, head_dim: int) -> int:
        """With `causal`, tiles above the diagonal are skipped; tiles on the diagonal count half."""
        pairs = tokens * (tokens + 1) // 2 if self.causal else tokens**2
        return 2 * pairs * head_dim


def masked_weights(
    query: Float[Tensor, "*leading query head_dim"], key: Float[Tensor, "*leading key head_dim"], allowed: Tensor
) -> Float[Tensor, "*leading query key"]:
    """Exact weights over the allowed keys only."""
    return scores(query, key).masked_fill(~allowed, -torch.inf).softmax(dim=-1)
