"""Performer: the softmax kernel as a product of positive random features, FAVOR+ (Choromanski et al. 2021).

    exp(q·k) = E[phi(q)·phi(k)],   phi(x) = exp(w·x - |x|²/2) / sqrt(m)   for m directions w ~ N(0, 1)   (lemma 1)

Instead of (phi(Q) phi(K)ᵀ) V, which is n x n, one computes phi(Q) (phi(K)ᵀ V), which is n x m (equation 4, figure 1);
causally, with running sums of phi(K)ᵀ V (appendix B.1). Directions at right angles to one another make the error
smaller (section 2.4). Queries and keys are first divided by d^(1/4), so that their product is q·k / sqrt(d).
"""

from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

from .variant import Rows, Variant, at_least, check_lengths, chosen_rows, later

CHUNK = 128  # tokens whose own weights are written out while the sums run on


@dataclass(frozen=True, kw_only=True)
class Performer(Variant):
    """`features` random features (m in the paper), in float32 at least: exponentials span more than half precision.

    The estimate of a weight before normalisation is unbiased; its variance grows with exp(|q + k|²) (lemma 2), so that
    heads with long queries and keys, which are decided ones, need many features.
    """

    features: int = 256
    orthogonal: bool = True
    seed: int = 0

    def __post_init__(self):
        at_least(1, features=self.features)

    def output(
        self,
        query: Float[Tensor, "batch head query each"],
        key: Float[Tensor, "batch head key each"],
        value: Float[Tensor, "batch head key each_value"],
    ) -> Float[Tensor, "batch head query each_value"]:
        check_lengths(query, key)
        with torch.autocast(query.device.type, enabled=False):
            queries, keys = self._positive(self._exponents(query)), self._exponents(key)
            # A column of ones among the values sums the weights themselves: the normaliser.
            carried = torch.cat([_precise(value), torch.ones_like(keys[..., :1])], dim=-1)
            mixed = _running(queries, keys, carried) if self.causal else _at_once(queries, keys, carried)
            return (mixed[..., :-1] / mixed[..., -1:].clamp_min(TINY)).to(value.dtype)

    def weights(
        self,
        query: Float[Tensor, "*leading query each"],
        key: Float[Tensor, "*leading key each"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        places = chosen_rows(check_lengths(query, key), rows, query.device)
        queries, keys = self._positive(self._exponents(query[..., places, :])), self._exponents(key)
        estimate = queries @ (keys - _highest(keys)).exp().mT
        if self.causal:
            estimate = estimate.masked_fill(later(places, key.shape[-2]), 0.0)
        return estimate / estimate.sum(dim=-1, keepdim=True).clamp_min(TINY)

    def kernel(
        self, query: Float[Tensor, "*leading query each"], key: Float[Tensor, "*leading key each"]
    ) -> Float[Tensor, "*leading query key"]:
        """The estimate of exp(q·k / sqrt(d)), before normalisation: right on average over `seed`."""
        return self._exponents(query).exp() @ self._exponents(key).exp().mT

    def multiplications(self, tokens: int, each: int) -> int:
        """Of directions with queries and keys, of features with values and normalisers."""
        features = 2 * tokens * each * self.features
        if not self.causal:
            return features + 2 * tokens * self.features * (each + 1)
        whole, rest = divmod(tokens, CHUNK)
        within = whole * CHUNK**2 + rest**2
        return features + within * (self.features + each + 1) + 2 * tokens * self.features * (each + 1)

    def _exponents(self, x: Float[Tensor, "*leading token each"]) -> Float[Tensor, "*leading token feature"]:
        """w·x - |x|²/2 - log(m)/2 for each direction w: the logarithms of the features."""
        x = _precise(x) * x.shape[-1] ** -0.25
        along = x @ directions(self.features, x.shape[-1], self.orthogonal, self.seed).to(x).mT
        return along - x.square().sum(dim=-1, keepdim=True) / 2 - torch.tensor(self.features).log().item() / 2

    def _positive(self, exponents: Float[Tensor, "*leading token feature"]) -> Float[Tensor, "*leading token feature"]:
        """The features of queries: each row may be multiplied with anything, since it is normalised in the end."""
        return (exponents - exponents.detach().amax(dim=-1, keepdim=True)).exp()


TINY = 1e-30  # below which a normaliser is no longer told from 0


def _at_once(
    queries: Float[Tensor, "*leading query feature"],
    keys: Float[Tensor, "*leading key feature"],
    value: Float[Tensor, "*leading key each"],
) -> Float[Tensor, "*leading query each"]:
    return queries @ ((keys - _highest(keys)).exp().mT @ value)


def _running(
    queries: Float[Tensor, "*leading query feature"],
    keys: Float[Tensor, "*leading key feature"],
    value: Float[Tensor, "*leading key each"],
) -> Float[Tensor, "*leading query each"]:
    """Chunk by chunk: what came before is one sum of features times values, the chunk's own part is written out.

    The sum is kept relative to the highest exponent so far, which cancels when the rows are normalised.
    """
    highest = _highest(keys[..., :1, :])
    state = torch.zeros_like(queries[..., :1, :]).mT * value[..., :1, :]  # (*leading, feature, each)
    mixed = []
    for query, key, own in zip(*(part.split(CHUNK, dim=-2) for part in (queries, keys, value)), strict=True):
        previous, highest = highest, torch.maximum(highest, _highest(key))
        state, key = state * (previous - highest).exp(), (key - highest).exp()
        mixed.append(query @ state + (query @ key.mT).tril() @ own)
        state = state + key.mT @ own
    return torch.cat(mixed, dim=-2)


def _highest(exponents: Float[Tensor, "*leading token feature"]) -> Float[Tensor, "*leading 1 1"]:
    return exponents.detach().amax(dim=(-2, -1), keepdim=True)


def _precise(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


@lru_cache(maxsize=32)
@torch.inference_mode(False)  # kept for all: a tensor of inference could not be trained with
def directions(features: int, each: int, orthogonal: bool, seed: int) -> Float[Tensor, "feature each"]:
    """Gaussian directions; orthogonal ones are drawn `each` at a time and keep the lengths of Gaussian ones."""
    generator = torch.Generator().manual_seed(seed)
    gaussian = torch.randn(features, each, generator=generator, dtype=torch.float64)
    if not orthogonal:
        return gaussian
    squares = torch.randn(-(-features // each), each, each, generator=generator, dtype=torch.float64)
    turned, upper = torch.linalg.qr(squares)
    # Signs as of a rotation drawn evenly (QR alone prefers some).
    turned = turned * upper.diagonal(dim1=-2, dim2=-1).sign()[..., None, :]
    return turned.flatten(0, 1)[:features] * gaussian.norm(dim=-1, keepdim=True)
