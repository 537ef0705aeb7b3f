"""Linformer: n keys and values are projected to k (Wang et al. 2020, section 4, equation 7).

    head = softmax(Q (E K)ᵀ / sqrt(d)) F V        E, F: (k, n)

The paper trains E and F. Without training two choices are left that it names itself: random projections in the manner
of Johnson and Lindenstrauss (theorem 2 and its proof), and the mean of every n/k neighbours ("General projections", end
of section 4). Each row of E mixes tokens of the whole text, so that the paper has no causal form. The one here is
ours, and simple: the text is cut into blocks, each block that is complete is projected on its own (E is then block
diagonal), and a query sees the projections of the blocks before its own, and the tokens of its own block exactly.
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
from .variant import Rows, Variant, at_least, check_lengths, chosen_rows, later, scores

Projection = Literal["mean", "random", "identity"]


@dataclass(frozen=True, kw_only=True)
class Linformer(Variant):
    """Keys and values of `rank` rows; E = F ("key-value sharing"), not trained.

    If causal, every block of `block` tokens has its share of the rank, block x rank / n rows; where that is less than
    one, the blocks are longer. A mean of c tokens then counts c times in the softmax, or it would weigh less than the
    tokens that are seen exactly.
    """

    rank: int = 64
    projection: Projection = "mean"
    block: int = 64
    seed: int = 0

    def __post_init__(self):
        at_least(1, rank=self.rank, block=self.block)
        if self.projection not in ("mean", "random", "identity"):
            raise InputError(f"'{self.projection}' is not a projection: choose mean, random or identity.")

    def matrix(self, tokens: int) -> Float[Tensor, "rank token"]:
        """E of a text of so many tokens; if causal, of one block."""
        if not self.causal:
            return projection_matrix(self.projection, min(self.rank, tokens), tokens, self.seed)
        size = min(max(self.block, -(-tokens // self.rank)), tokens)
        rows = max(1, min(size, round(size * self.rank / tokens)))
        return projection_matrix(self.projection, rows, size, self.seed)

    def output(
        self,
        query: Float[Tensor, "batch head query each"],
        key: Float[Tensor, "batch head key each"],
        value: Float[Tensor, "batch head key each_value"],
    ) -> Float[Tensor, "batch head query each_value"]:
        projection = self.matrix(check_lengths(query, key)).to(query)
        if not self.causal:
            return projected(query, key, value, projection, projection)
        return causal_projected(query, key, value, projection, projection, bonus=self._bonus(projection))

    def weights(
        self,
        query: Float[Tensor, "*leading query each"],
        key: Float[Tensor, "*leading key each"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        """softmax(Q (E K)ᵀ / sqrt(d)) E, which may be negative where E is random."""
        tokens = check_lengths(query, key)
        projection, places = self.matrix(tokens).to(query), chosen_rows(tokens, rows, query.device)
        query = query[..., places, :]
        if not self.causal:
            return scores(query, projection @ key).softmax(dim=-1) @ projection
        size = projection.shape[-1]
        complete = tokens // size
        whole = torch.block_diag(*[projection] * complete) if complete else projection[:0]
        whole = F.pad(whole, (0, tokens - whole.shape[-1]))  # (rows of all complete blocks, token)
        blocks = torch.arange(complete, device=query.device).repeat_interleave(len(projection))
        far = scores(query, whole @ key) + self._bonus(projection)
        far = far.masked_fill(blocks >= (places // size)[:, None], -math.inf)
        elsewhere = torch.arange(tokens, device=query.device) // size != (places // size)[:, None]
        own = scores(query, key).masked_fill(elsewhere | later(places, tokens), -math.inf)
        weights = torch.cat([far, own], dim=-1).softmax(dim=-1)
        return weights[..., : len(blocks)] @ whole + weights[..., len(blocks) :]

    def multiplications(self, tokens: int, each: int) -> int:
        rows, size = self.matrix(tokens).shape
        if not self.causal:  # E K, E V, then scores and values for each query
            return 4 * rows * tokens * each
        blocks = -(-tokens // size)
        return 2 * each * (rows * blocks * size + blocks * size * (rows * blocks + size))

    def _bonus(self, projection: Float[Tensor, "rank token"]) -> float:
        """What is added to the score of a projected key: the logarithm of how many tokens it is the mean of."""
        return math.log(projection.shape[1] / projection.shape[0]) if self.projection == "mean" else 0.0


def projected(
    query: Float[Tensor, "batch head query each"],
    key: Float[Tensor, "batch head key each"],
    value: Float[Tensor, "batch head key each_value"],
    key_projection: Float[Tensor, "rank key"],
    value_projection: Float[Tensor, "rank key"],
) -> Float[Tensor, "batch head query each_value"]:
    """Equation 7, with any E and F, also trained ones."""
    return F.scaled_dot_product_attention(query, key_projection @ key, value_projection @ value)


def causal_projected(
    query: Float[Tensor, "batch head query each"],
    key: Float[Tensor, "batch head key each"],
    value: Float[Tensor, "batch head key each_value"],
    key_projection: Float[Tensor, "rank token"],
    value_projection: Float[Tensor, "rank token"],
    *,
    bonus: float = 0.0,
) -> Float[Tensor, "batch head query each_value"]:
    """The causal form: complete blocks of so many tokens as E and F have columns are projected, one's own is not.

    With any E and F of one block, also trained ones; `bonus` is added to the scores of projected keys.
    """
    tokens, (rows, size) = query.shape[-2], key_projection.shape
    query, key, value = (
        F.pad(part, (0, 0, 0, -tokens % size)).unflatten(-2, (-1, size)) for part in (query, key, value)
    )  # (batch, head, block, in block, each)
    blocks = query.shape[2]
    far_keys, far_values = (
        (matrix @ part).flatten(2, 3) for matrix, part in ((key_projection, key), (value_projection, value))
    )  # (batch, head, block x rank, each)
    far = scores(query.flatten(2, 3), far_keys).unflatten(2, (blocks, size)) + bonus
    number = torch.arange(blocks, device=query.device)
    far = far.masked_fill((number.repeat_interleave(rows) >= number[:, None])[:, None], -math.inf)
    own = scores(query, key).masked_fill(later(torch.arange(size, device=query.device), size), -math.inf)
    weights = torch.cat([far, own], dim=-1).softmax(dim=-1).to(value.dtype)
    from_far = (weights[..., : rows * blocks].flatten(2, 3) @ far_values).unflatten(2, (blocks, size))
    return (from_far + weights[..., rows * blocks :] @ value).flatten(2, 3)[..., :tokens, :]


@lru_cache(maxsize=32)
@torch.inference_mode(False)  # kept for all: a tensor of inference could not be trained with
def projection_matrix(kind: Projection, rows: int, tokens: int, seed: int) -> Float[Tensor, "rank token"]:
    """E, without training: means of neighbours, N(0, 1/k) in every cell, or every token for itself."""
    if kind == "identity":
        if rows != tokens:
            raise InputError(f"The identity projects {tokens} keys to {tokens}, not to {rows}: raise the rank.")
        return torch.eye(tokens)
    if kind == "random":
        return torch.randn(rows, tokens, generator=torch.Generator().manual_seed(seed)) * rows**-0.5
    # Kernel and stride n/k; where k does not divide n, neighbouring means share a token.
    row, token = torch.arange(rows)[:, None], torch.arange(tokens)
    inside = (token >= row * tokens // rows) & (token * rows < (row + 1) * tokens)
    return inside / inside.sum(dim=1, keepdim=True)
