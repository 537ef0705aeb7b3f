"""Clustered attention: queries that are alike share one row of weights (Vyas et al. 2020, section 3.2).

    Q^c = the mean query of each cluster (equation 3),  A^c = softmax(Q^c Kᵀ / sqrt(d)) (equation 4),
    and every query of a cluster receives what its centroid receives (equations 5 and 6).

Clusters are found by k-means (Lloyd 1982) among the queries themselves; the paper first hashes them to bits, which
is faster. The paper's models are not causal. With `causal` here each query leaves out the keys after it, but the
clusters are made from all queries, later ones too.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .variant import Rows, Variant, at_least, check_lengths, chosen_rows, later, scores

STEPS = 10  # of k-means, as in the authors' code


@dataclass(frozen=True, kw_only=True)
class Clustered(Variant):
    """`clusters` rows of weights for all queries."""

    clusters: int = 32
    seed: int = 0

    looks_ahead: ClassVar[bool] = True

    def __post_init__(self):
        at_least(1, clusters=self.clusters)

    def output(
        self,
        query: Float[Tensor, "batch head query each"],
        key: Float[Tensor, "batch head key each"],
        value: Float[Tensor, "batch head key each_value"],
    ) -> Float[Tensor, "batch head query each_value"]:
        check_lengths(query, key)
        centroids, members = self._clusters(query)
        found = scores(centroids, key)  # (batch, head, cluster, key)
        if self.causal:
            return _summed_up_to_each(found, value, members)
        mixed = found.softmax(dim=-1).to(value.dtype) @ value
        return mixed.gather(-2, members[..., None].expand(*members.shape, mixed.shape[-1]))

    def weights(
        self,
        query: Float[Tensor, "*leading query each"],
        key: Float[Tensor, "*leading key each"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        tokens = check_lengths(query, key)
        centroids, members = self._clusters(query)
        places = chosen_rows(tokens, rows, query.device)
        members = members[..., places]
        found = scores(centroids, key).gather(-2, members[..., None].expand(*members.shape, tokens))
        return (found.masked_fill(later(places, tokens), -torch.inf) if self.causal else found).softmax(dim=-1)

    def multiplications(self, tokens: int, each: int) -> int:
        """Of centroids with queries, to find the clusters, and of centroids with keys and values."""
        return (2 * STEPS + 2) * min(self.clusters, tokens) * tokens * each

    def _clusters(
        self, query: Float[Tensor, "*leading query each"]
    ) -> tuple[Float[Tensor, "*leading cluster each"], Int[Tensor, "*leading query"]]:
        """The mean query of each cluster, and the cluster of each query."""
        count = min(self.clusters, query.shape[-2])
        first = torch.randperm(query.shape[-2], generator=torch.Generator().manual_seed(self.seed))[:count]
        with torch.no_grad():
            centroids = query[..., first.to(query.device), :]
            members = _nearest(query, centroids)
            for _ in range(STEPS - 1):
                centroids = _means(query, members, centroids)
                members = _nearest(query, centroids)
        # Gradients pass through the means, not through the choice of members.
        return _means(query, members, centroids), members


def _nearest(
    query: Float[Tensor, "*leading query each"], centroids: Float[Tensor, "*leading cluster each"]
) -> Int[Tensor, "*leading query"]:
    """The cluster of each query: that of the nearest centroid."""
    distances = centroids.square().sum(dim=-1)[..., None, :] - 2 * query @ centroids.mT
    return distances.argmin(dim=-1)


def _means(
    query: Float[Tensor, "*leading query each"],
    members: Int[Tensor, "*leading query"],
    otherwise: Float[Tensor, "*leading cluster each"],
) -> Float[Tensor, "*leading cluster each"]:
    """The mean query of each cluster; `otherwise` where a cluster is empty."""
    belongs = torch.nn.functional.one_hot(members, otherwise.shape[-2]).to(query.dtype)  # (*leading, query, cluster)
    sizes = belongs.sum(dim=-2)[..., None]
    return torch.where(sizes > 0, belongs.mT @ query / sizes.clamp_min(1), otherwise)


def _summed_up_to_each(
    found: Float[Tensor, "batch head cluster key"],
    value: Float[Tensor, "batch head key each_value"],
    members: Int[Tensor, "batch head query"],
) -> Float[Tensor, "batch head query each_value"]:
    """Causally: running sums along the keys for one cluster after the other, in double precision."""
    weights = (found.double() - found.double().amax(dim=-1, keepdim=True)).exp()
    mixed = torch.zeros(value.shape, dtype=torch.float64, device=value.device)
    for cluster, row in enumerate(weights.unbind(dim=-2)):
        sums = (row[..., None] * value).cumsum(dim=-2) / row.cumsum(dim=-1)[..., None]
        mixed = torch.where((members == cluster)[..., None], sums, mixed)
    return mixed.to(value.dtype)
