"""Attention weights of a fused call, computed from its product when they are read, in pieces that fit into memory."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from .product import Positions, Product

CHUNK = 2**20  # scores held in memory at once while a map is reduced: 4 MB


def count_at_once(scores: int) -> int:
    """The number of rows, or of maps, with so many scores each that are held in memory at once."""
    return max(1, CHUNK // max(1, scores))


@dataclass(frozen=True, eq=False)
class ProductWeights:
    """The softmax of a product of queries and keys; log normalisers are kept once a whole map was computed."""

    product: Product
    _normalisers: dict[tuple[int, int], Tensor] = field(default_factory=dict)  # by input and head

    def tile(self, head: int, item: int, rows: Positions, keys: Positions | None = None) -> Float[Tensor, "query key"]:
        """Some rows of a map, with all keys or with some: each row is normalised over all keys."""
        if keys is None:
            return self._masked_scores(head, item, rows).softmax(-1)
        normaliser = self._normaliser_of(head, item, rows)
        return (self._masked_scores(head, item, rows, keys) - normaliser[:, None]).exp()

    def of_heads(self, heads: range, item: int, rows: Positions) -> Float[Tensor, "head query key"]:
        """Some rows of the maps of several heads."""
        return self.product.masked_scores(slice(item, item + 1), heads, rows)[0].float().softmax(-1)

    def normaliser(self, head: int, item: int) -> Float[Tensor, " query"]:
        """logsumexp of each row's masked scores."""
        if (item, head) not in self._normalisers:
            for _ in self.chunks(head, item):
                pass  # fills self._normalisers
        return self._normalisers[item, head]

    def chunks(self, head: int, item: int, block: int = 1) -> Iterator[Float[Tensor, "_ _"]]:
        """The map of one head, some rows at a time, without the last keys that the causal mask hides from all of them.

        Of these keys only whole blocks of `block` are left out.
        """
        normalisers, causal = [], self.product.is_causal
        _, _, queries, keys = self.product.shape
        rows_at_once = count_at_once(keys)
        for start in range(0, queries, rows_at_once):
            stop = min(start + rows_at_once, queries)
            stop_key = math.ceil(stop / block) * block if causal else keys
            scores = self._masked_scores(head, item, slice(start, stop), slice(0, stop_key))
            weights, largest = scores.softmax(-1), scores.amax(-1)
            # logsumexp without a second exponential: the best score has the weight exp(best) / sum.
            normalisers.append(torch.where(largest.isneginf(), largest, largest - weights.amax(-1).log()))
            yield weights
        self._normalisers[item, head] = torch.cat(normalisers)

    def _normaliser_of(self, head: int, item: int, rows: Positions) -> Float[Tensor, " query"]:
        """The log normalisers of some rows, without computing the whole map."""
        if (item, head) in self._normalisers:
            return self._normalisers[item, head][rows]
        _, _, queries, keys = self.product.shape
        positions = torch.arange(queries, device=self.product.query.device)[rows]
        chunks = positions.split(count_at_once(keys))
        return torch.cat([self._masked_scores(head, item, chunk).logsumexp(-1) for chunk in chunks])

    def _masked_scores(self, head: int, item: int, rows: Positions, keys: Positions = slice(None)) -> Tensor:
        return self.product.masked_scores(slice(item, item + 1), [head], rows, keys)[0, 0].float()
