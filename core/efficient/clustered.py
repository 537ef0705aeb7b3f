"""Clustered attention: similar queries share one row of weights (Vyas et al. 2020, section 3.2).

    Q^c = the mean query of each cluster (equation 3),  A^c = softmax(Q^c Kᵀ / sqrt(d)) (equation 4),
    and the output of every query of a cluster is that of its centroid (equations 5 and 6).

Clusters are computed by k-means (Lloyd 1982) on the queries themselves; the paper first hashes them to bits, which
is faster. The paper's models are not causal. With `causal` here each query attends to no later key, but the clusters
are computed from all queries, later ones too.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .variant import Rows, Variant, check_at_least, check_lengths, later_keys, row_positions, scores

STEPS = 10  # of k-means, as in the authors' code


@dataclass(frozen=True, kw_only=True)
class Clustered(Variant):
    """`clusters` rows of weights for all queries."""

    clusters: int = 32
    seed: int = 0

    looks_ahead: ClassVar[bool] = True

    def __post_init__(self):
        check_at_least(1, clusters=self.clusters)

    def output(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key value_dim"],
    ) -> Float[Tensor, "batch head query value_dim"]:
        check_lengths(query, key)
        centroids, members = self._clusters(query)
        cluster_scores = scores(centroids, key)  # (batch, head, cluster, key)
        if self.causal:
            return _causal_output(cluster_scores, value, members)
        mixed = cluster_scores.softmax(dim=-1).to(value.dtype) @ value
        return mixed.gather(-2, members[..., None].expand(*members.shape, mixed.shape[-1]))

    def weights(
        self,
        query: Float[Tensor, "*leading query head_dim"],
        key: Float[Tensor, "*leading key head_dim"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        tokens = check_lengths(query, key)
        centroids, members = self._clusters(query)
        positions = row_positions(tokens, rows, query.device)
        members = members[..., positions]
        row_scores = scores(centroids, key).gather(-2, members[..., None].expand(*members.shape, tokens))
        if self.causal:
            row_scores = row_scores.masked_fill(later_keys(positions, tokens), -torch.inf)
        return row_scores.softmax(dim=-1)

    def multiplications(self, tokens: int, head_dim: int) -> int:
        """Those of centroids with queries, to compute the clusters, and of centroids with keys and values."""
        return (2 * STEPS + 2) * min(self.clusters, tokens) * tokens * head_dim

    def _clusters(
        self, query: Float[Tensor, "*leading query head_dim"]
    ) -> tuple[Float[Tensor, "*leading cluster head_dim"], Int[Tensor, "*leading query"]]:
        """The mean query of each cluster, and the cluster of each query."""
        cluster_count = min(self.clusters, query.shape[-2])
        initial = torch.randperm(query.shape[-2], generator=torch.Generator().manual_seed(self.seed))[:cluster_count]
        with torch.no_grad():
            centroids = query[..., initial.to(query.device), :]
            members = _nearest(query, centroids)
            for _ in range(STEPS - 1):
                centroids = _means(query, members, centroids)
                members = _nearest(query, centroids)
        # Gradients pass through the means, not through the assignment to clusters.
        return _means(query, members, centroids), members


def _nearest(
    query: Float[Tensor, "*leading query head_dim"], centroids: Float[Tensor, "*leading cluster head_dim"]
) -> Int[Tensor, "*leading query"]:
    """The cluster of each query: that of the nearest centroid."""
    distances = centroids.square().sum(dim=-1)[..., None, :] - 2 * query @ centroids.mT
    return distances.argmin(dim=-1)


def _means(
    query: Float[Tensor, "*leading query head_dim"],
    members: Int[Tensor, "*leading query"],
    previous: Float[Tensor, "*leading cluster head_dim"],
) -> Float[Tensor, "*leading cluster head_dim"]:
    """The mean query of each cluster; the `previous` centroid where a cluster is empty."""
    membership = torch.nn.functional.one_hot(members, previous.shape[-2]).to(query.dtype)  # (*leading, query, cluster)
    sizes = membership.sum(dim=-2)[..., None]
    return torch.where(sizes > 0, membership.mT @ query / sizes.clamp_min(1), previous)


def _causal_output(
    cluster_scores: Float[Tensor, "batch head cluster key"],
    value: Float[Tensor, "batch head key value_dim"],
    members: Int[Tensor, "batch head query"],
) -> Float[Tensor, "batch head query value_dim"]:
    """The causal output: running sums along the keys for one cluster after the other, in double precision."""
    weights = (cluster_scores.double() - cluster_scores.double().amax(dim=-1, keepdim=True)).exp()
    mixed = torch.zeros(value.shape, dtype=torch.float64, device=value.device)
    for cluster, row in enumerate(weights.unbind(dim=-2)):
        sums = (row[..., None] * value).cumsum(dim=-2) / row.cumsum(dim=-1)[..., None]
        mixed = torch.where((members == cluster)[..., None], sums, mixed)
    return mixed.to(value.dtype)
