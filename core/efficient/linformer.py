"""Linformer: n keys and values are projected to k (Wang et al. 2020, section 4, equation 7).

    head = softmax(Q (E K)ᵀ / sqrt(d)) F V        E, F: (k, n)

The paper trains E and F. It names two choices without training: random projections as in Johnson and Lindenstrauss
(theorem 2 and its proof), and the mean of every n/k neighbours ("General projections", end of section 4). Each row of E
mixes tokens of the whole text, so the paper has no causal form. The causal form here is ours: the text is split into
blocks, each complete block is projected on its own (E is then block diagonal), and a query attends to the projections
of the blocks before its own, and to the tokens of its own block exactly.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from ..errors import InputError
from .variant import Rows, Variant, check_at_least, check_lengths, later_keys, row_positions, scores

Projection = Literal["mean", "random", "identity"]


@dataclass(frozen=True, kw_only=True)
class Linformer(Variant):
    """Keys and values projected to `rank` rows; E = F ("key-value sharing"), not trained.

    If causal, every block of `block` tokens has block x rank / n rows; where that is less than one, the blocks are
    longer. A mean of c tokens then counts c times in the softmax, or it would weigh less than the tokens of the query's
    own block.
    """

    rank: int = 64
    projection: Projection = "mean"
    block: int = 64
    seed: int = 0

    def __post_init__(self):
        check_at_least(1, rank=self.rank, block=self.block)
        if self.projection not in ("mean", "random", "identity"):
            raise InputError(f"'{self.projection}' is not a projection: choose mean, random or identity.")

    def matrix(self, tokens: int) -> Float[Tensor, "rank token"]:
        """E for a text of `tokens` tokens; if causal, E of one block."""
        if not self.causal:
            return projection_matrix(self.projection, min(self.rank, tokens), tokens, self.seed)
        size = min(max(self.block, -(-tokens // self.rank)), tokens)
        rows = max(1, min(size, round(size * self.rank / tokens)))
        return projection_matrix(self.projection, rows, size, self.seed)

    def output(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key value_dim"],
    ) -> Float[Tensor, "batch head query value_dim"]:
        projection = self.matrix(check_lengths(query, key)).to(query)
        if not self.causal:
            return linformer_attention(query, key, value, projection, projection)
        return causal_linformer_attention(
            query, key, value, projection, projection, log_count=self._log_count(projection)
        )

    def weights(
        self,
        query: Float[Tensor, "*leading query head_dim"],
        key: Float[Tensor, "*leading key head_dim"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        """softmax(Q (E K)ᵀ / sqrt(d)) E, which may be negative where E is random."""
        tokens = check_lengths(query, key)
        projection, positions = self.matrix(tokens).to(query), row_positions(tokens, rows, query.device)
        query = query[..., positions, :]
        if not self.causal:
            return scores(query, projection @ key).softmax(dim=-1) @ projection
        size = projection.shape[-1]
        complete_blocks = tokens // size
        block_projection = torch.block_diag(*[projection] * complete_blocks) if complete_blocks else projection[:0]
        block_projection = F.pad(
            block_projection, (0, tokens - block_projection.shape[-1])
        )  # (rows of all complete blocks, token)
        blocks = torch.arange(complete_blocks, device=query.device).repeat_interleave(len(projection))
        projected_scores = scores(query, block_projection @ key) + self._log_count(projection)
        projected_scores = projected_scores.masked_fill(blocks >= (positions // size)[:, None], -math.inf)
        in_other_block = torch.arange(tokens, device=query.device) // size != (positions // size)[:, None]
        own_scores = scores(query, key).masked_fill(in_other_block | later_keys(positions, tokens), -math.inf)
        weights = torch.cat([projected_scores, own_scores], dim=-1).softmax(dim=-1)
        return weights[..., : len(blocks)] @ block_projection + weights[..., len(blocks) :]

    def multiplications(self, tokens: int, head_dim: int) -> int:
        """Those of the projections, and of queries with projected keys and values (if causal, own ones too)."""
        rows, size = self.matrix(tokens).shape
        if not self.causal:  # E K, E V, then scores and values for each query
            return 4 * rows * tokens * head_dim
        blocks = -(-tokens // size)
        return 2 * head_dim * (rows * blocks * size + blocks * size * (rows * blocks + size))

    def _log_count(self, projection: Float[Tensor, "rank token"]) -> float:
        """The log of the number of tokens that a projected key is the mean of, added to its scores; else 0."""
        return math.log(projection.shape[1] / projection.shape[0]) if self.projection == "mean" else 0.0


def linformer_attention(
    query: Float[Tensor, "batch head query head_dim"],
    key: Float[Tensor, "batch head key head_dim"],
    value: Float[Tensor, "batch head key value_dim"],
    key_projection: Float[Tensor, "rank key"],
    value_projection: Float[Tensor, "rank key"],
) -> Float[Tensor, "batch head query value_dim"]:
    """The output of equation 7, for any E and F, trained ones included."""
    return F.scaled_dot_product_attention(query, key_projection @ key, value_projection @ value)


def causal_linformer_attention(
    query: Float[Tensor, "batch head query head_dim"],
    key: Float[Tensor, "batch head key head_dim"],
    value: Float[Tensor, "batch head key value_dim"],
    key_projection: Float[Tensor, "rank token"],
    value_projection: Float[Tensor, "rank token"],
    *,
    log_count: float = 0.0,
) -> Float[Tensor, "batch head query value_dim"]:
    """The output of the causal form: a query attends to projections of earlier blocks, and to its own block exactly.

    For any E and F of one block, trained ones included; a block has as many tokens as they have columns. `log_count`
    is added to the scores of projected keys.
    """
    tokens, (rows, size) = query.shape[-2], key_projection.shape
    query, key, value = (
        F.pad(part, (0, 0, 0, -tokens % size)).unflatten(-2, (-1, size)) for part in (query, key, value)
    )  # (batch, head, block, token in block, head_dim)
    blocks = query.shape[2]
    projected_keys, projected_values = (
        (matrix @ part).flatten(2, 3) for matrix, part in ((key_projection, key), (value_projection, value))
    )  # (batch, head, block x rank, head_dim)
    projected_scores = scores(query.flatten(2, 3), projected_keys).unflatten(2, (blocks, size)) + log_count
    block = torch.arange(blocks, device=query.device)
    projected_scores = projected_scores.masked_fill(
        (block.repeat_interleave(rows) >= block[:, None])[:, None], -math.inf
    )
    own_scores = scores(query, key).masked_fill(later_keys(torch.arange(size, device=query.device), size), -math.inf)
    weights = torch.cat([projected_scores, own_scores], dim=-1).softmax(dim=-1).to(value.dtype)
    projected_output = (weights[..., : rows * blocks].flatten(2, 3) @ projected_values).unflatten(2, (blocks, size))
    return (projected_output + weights[..., rows * blocks :] @ value).flatten(2, 3)[..., :tokens, :]


@lru_cache(maxsize=32)
@torch.inference_mode(False)  # cached for all callers: an inference tensor could not be used in training
def projection_matrix(kind: Projection, rows: int, tokens: int, seed: int) -> Float[Tensor, "rank token"]:
    """E without training: means of neighbours, entries from N(0, 1/k), or the identity.

    Raises InputError for an identity with fewer rows than tokens.
    """
    if kind == "identity":
        if rows != tokens:
            raise InputError(f"The identity projects {tokens} keys to {tokens}, not to {rows}: raise the rank.")
        return torch.eye(tokens)
    if kind == "random":
        return torch.randn(rows, tokens, generator=torch.Generator().manual_seed(seed)) * rows**-0.5
    # Kernel and stride n/k; where k does not divide n, neighbouring means share a token.
    row, token = torch.arange(rows)[:, None], torch.arange(tokens)
    in_range = (token >= row * tokens // rows) & (token * rows < (row + 1) * tokens)
    return in_range / in_range.sum(dim=1, keepdim=True)
