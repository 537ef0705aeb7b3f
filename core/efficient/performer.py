"""Performer: the softmax kernel as a product of positive random features, FAVOR+ (Choromanski et al. 2021).

    exp(q·k) = E[phi(q)·phi(k)],   phi(x) = exp(w·x - |x|²/2) / sqrt(m)   for m directions w ~ N(0, 1)   (lemma 1)

Instead of (phi(Q) phi(K)ᵀ) V, which is n x n, one computes phi(Q) (phi(K)ᵀ V), which is n x m (equation 4, figure 1);
causally, with running sums of phi(K)ᵀ V (appendix B.1). Orthogonal directions make the error smaller (section 2.4).
Queries and keys are first divided by d^(1/4), so that their product is q·k / sqrt(d).
"""

from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

from .variant import Rows, Variant, check_at_least, check_lengths, later_keys, row_positions

CHUNK = 128  # tokens of a chunk, within which weights are computed explicitly


@dataclass(frozen=True, kw_only=True)
class Performer(Variant):
    """`features` random features (m in the paper), in float32 at least: exponentials exceed half precision.

    The estimate of a weight before normalisation is unbiased; its variance grows with exp(|q + k|²) (lemma 2), so that
    heads with long queries and keys, whose weights are sharp, need many features.
    """

    features: int = 256
    orthogonal: bool = True
    seed: int = 0

    def __post_init__(self):
        check_at_least(1, features=self.features)

    def output(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key value_dim"],
    ) -> Float[Tensor, "batch head query value_dim"]:
        check_lengths(query, key)
        with torch.autocast(query.device.type, enabled=False):
            queries, keys = self._query_features(self._exponents(query)), self._exponents(key)
            # A column of ones among the values sums the weights: the normaliser.
            values_and_ones = torch.cat([_at_least_float32(value), torch.ones_like(keys[..., :1])], dim=-1)
            mixed = (
                _causal_sums(queries, keys, values_and_ones)
                if self.causal
                else _full_sums(queries, keys, values_and_ones)
            )
            return (mixed[..., :-1] / mixed[..., -1:].clamp_min(TINY)).to(value.dtype)

    def weights(
        self,
        query: Float[Tensor, "*leading query head_dim"],
        key: Float[Tensor, "*leading key head_dim"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        positions = row_positions(check_lengths(query, key), rows, query.device)
        queries, keys = self._query_features(self._exponents(query[..., positions, :])), self._exponents(key)
        estimate = queries @ (keys - _largest(keys)).exp().mT
        if self.causal:
            estimate = estimate.masked_fill(later_keys(positions, key.shape[-2]), 0.0)
        return estimate / estimate.sum(dim=-1, keepdim=True).clamp_min(TINY)

    def kernel(
        self, query: Float[Tensor, "*leading query head_dim"], key: Float[Tensor, "*leading key head_dim"]
    ) -> Float[Tensor, "*leading query key"]:
        """The estimate of exp(q·k / sqrt(d)), before normalisation: unbiased over `seed`."""
        return self._exponents(query).exp() @ self._exponents(key).exp().mT

    def multiplications(self, tokens: int, head_dim: int) -> int:
        """Those of directions with queries and keys, and of features with values and normalisers."""
        features = 2 * tokens * head_dim * self.features
        if not self.causal:
            return features + 2 * tokens * self.features * (head_dim + 1)
        full_chunks, remainder = divmod(tokens, CHUNK)
        pairs_in_chunks = full_chunks * CHUNK**2 + remainder**2
        return features + pairs_in_chunks * (self.features + head_dim + 1) + 2 * tokens * self.features * (head_dim + 1)

    def _exponents(self, x: Float[Tensor, "*leading token head_dim"]) -> Float[Tensor, "*leading token feature"]:
        """w·x - |x|²/2 - log(m)/2 for each direction w: the logarithms of the features."""
        x = _at_least_float32(x) * x.shape[-1] ** -0.25
        projections = x @ directions(self.features, x.shape[-1], self.orthogonal, self.seed).to(x).mT
        return projections - x.square().sum(dim=-1, keepdim=True) / 2 - torch.tensor(self.features).log().item() / 2

    def _query_features(
        self, exponents: Float[Tensor, "*leading token feature"]
    ) -> Float[Tensor, "*leading token feature"]:
        """The features of queries, scaled by a factor for each row, which cancels in the normalisation."""
        return (exponents - exponents.detach().amax(dim=-1, keepdim=True)).exp()


TINY = 1e-30  # smallest normaliser


def _full_sums(
    queries: Float[Tensor, "*leading query feature"],
    keys: Float[Tensor, "*leading key feature"],
    value: Float[Tensor, "*leading key head_dim"],
) -> Float[Tensor, "*leading query head_dim"]:
    return queries @ ((keys - _largest(keys)).exp().mT @ value)


def _causal_sums(
    queries: Float[Tensor, "*leading query feature"],
    keys: Float[Tensor, "*leading key feature"],
    value: Float[Tensor, "*leading key head_dim"],
) -> Float[Tensor, "*leading query head_dim"]:
    """The causal output, by chunks: earlier tokens through a running sum of features times values, own ones explicitly.

    The sum is scaled by the largest exponent so far, which cancels when the rows are normalised.
    """
    largest = _largest(keys[..., :1, :])
    state = torch.zeros_like(queries[..., :1, :]).mT * value[..., :1, :]  # (*leading, feature, value)
    mixed = []
    for query, key, chunk_value in zip(*(part.split(CHUNK, dim=-2) for part in (queries, keys, value)), strict=True):
        previous, largest = largest, torch.maximum(largest, _largest(key))
        state, key = state * (previous - largest).exp(), (key - largest).exp()
        mixed.append(query @ state + (query @ key.mT).tril() @ chunk_value)
        state = state + key.mT @ chunk_value
    return torch.cat(mixed, dim=-2)


def _largest(exponents: Float[Tensor, "*leading token feature"]) -> Float[Tensor, "*leading 1 1"]:
    return exponents.detach().amax(dim=(-2, -1), keepdim=True)


def _at_least_float32(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


@lru_cache(maxsize=32)
@torch.inference_mode(False)  # cached for all callers: an inference tensor could not be used in training
def directions(features: int, head_dim: int, orthogonal: bool, seed: int) -> Float[Tensor, "feature head_dim"]:
    """Gaussian directions; orthogonal ones are drawn `head_dim` at a time, with the norms of Gaussian ones."""
    generator = torch.Generator().manual_seed(seed)
    gaussian = torch.randn(features, head_dim, generator=generator, dtype=torch.float64)
    if not orthogonal:
        return gaussian
    matrices = torch.randn(-(-features // head_dim), head_dim, head_dim, generator=generator, dtype=torch.float64)
    rotations, upper = torch.linalg.qr(matrices)
    # Signs that make the rotations uniformly distributed (Haar), which QR alone does not.
    rotations = rotations * upper.diagonal(dim1=-2, dim2=-1).sign()[..., None, :]
    return rotations.flatten(0, 1)[:features] * gaussian.norm(dim=-1, keepdim=True)
