"""Measures of attention heads: attention weights in, one value per head out.

Every function takes weights with any leading axes (batch, head, layer), and keeps those axes. Shares, distances and
entropy are those of a distribution: each row is scaled to sum to 1 first (`shares`), also where a sink or a mask after
the softmax took a part of it. Rows that sum to 0, and rows of NaN, are in no mean.
Where it matters which token a row belongs to, `queries` gives the positions of the rows, if they are not all of them:
for a long text some rows, evenly spread, are enough for a mean. Without a row to average the value is NaN.
"""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..errors import CaptureError
from ..images import Patches


def shares(weights: Float[Tensor, "*leading key"]) -> Float[Tensor, "*leading key"]:
    """The weights of each row as parts of its own sum, from 0 to 1; NaN where the row sums to 0.

    Raises CaptureError for weights below 0.
    """
    check_not_negative(weights)
    return weights / weights.sum(dim=-1, keepdim=True)


def check_not_negative(weights: Float[Tensor, "*leading"]) -> None:
    """Raise CaptureError if a weight is below 0."""
    if (weights < 0).any():
        raise CaptureError(
            f"The smallest of these attention weights is {float(weights.nan_to_num(nan=0.0).min()):.2g}. Weights below "
            "0, which no softmax makes, are no shares: they have no entropy, distance or rollout."
        )


def entropy(weights: Float[Tensor, "*leading query key"]) -> Float[Tensor, "*leading query"]:
    """How spread out each row is, in bits: 0 for one key, log2(n) for n equal ones (Shannon 1948).

    Of the row scaled to sum to 1; NaN where the row sums to 0.
    """
    return torch.special.entr(shares(weights)).sum(dim=-1) / math.log(2)


def jensen_shannon(
    first: Float[Tensor, "*leading key"], second: Float[Tensor, "*#leading key"]
) -> Float[Tensor, "*leading"]:
    """Jensen-Shannon divergence of two rows that sum to 1, in nats: 0 if equal, ln 2 if they share no key (Lin 1991).

    Its gradient stays finite where a weight is 0.
    """
    middle = (first + second) / 2
    return (_relative_entropy(first, middle) + _relative_entropy(second, middle)) / 2


def _relative_entropy(first: Tensor, second: Tensor) -> Tensor:
    """Kullback-Leibler divergence in nats; keys without weight in the first add 0."""
    return torch.where(first > 0, first * (first.clamp(min=1e-30) / second.clamp(min=1e-30)).log(), 0.0).sum(dim=-1)


def same_token(
    weights: Float[Tensor, "*leading query key"], queries: Int[Tensor, " query"] | None = None
) -> Float[Tensor, "*leading"]:
    """Mean share of attention that a token gives to itself."""
    return _share_at_offset(shares(weights), _places(weights, queries), behind=0).nanmean(dim=-1)


def previous_token(
    weights: Float[Tensor, "*leading query key"], queries: Int[Tensor, " query"] | None = None
) -> Float[Tensor, "*leading"]:
    """Mean share that a token (after the first) gives to the one just before it (Clark et al. 2019, section 3.1)."""
    return _share_at_offset(shares(weights), _places(weights, queries), behind=1).nanmean(dim=-1)


def first_token(
    weights: Float[Tensor, "*leading query key"], queries: Int[Tensor, " query"] | None = None
) -> Float[Tensor, "*leading"]:
    """Mean share that goes to the first token, by queries after the first (an "attention sink", Xiao et al. 2023)."""
    return shares(weights)[..., _places(weights, queries) > 0, 0].nanmean(dim=-1)


def share_of(weights: Float[Tensor, "*leading query key"], chosen: Bool[Tensor, " key"]) -> Float[Tensor, "*leading"]:
    """Mean share that the chosen keys get together, for instance punctuation (Clark et al. 2019, section 3.2)."""
    return shares(weights)[..., chosen].sum(dim=-1).nanmean(dim=-1)


def induction(weights: Float[Tensor, "*leading token token"], period: int) -> Float[Tensor, "*leading"]:
    """The induction score on a sequence that repeats with this period (Olsson et al. 2022, "prefix matching").

    In the second repeat, the mean share given to the token that followed the same token the first time.
    """
    return shares(weights).diagonal(offset=1 - period, dim1=-2, dim2=-1)[..., 1:].nanmean(dim=-1)


def mean_distance(
    weights: Float[Tensor, "*leading query key"], queries: Int[Tensor, " query"] | None = None
) -> Float[Tensor, "*leading"]:
    """Mean distance of attention in tokens, over all queries."""
    distances = _distances(_places(weights, queries), weights.shape[-1])
    return (shares(weights) * distances).sum(dim=-1).nanmean(dim=-1)


def mean_distance_in_plane(
    weights: Float[Tensor, "*leading query key"], patches: Patches, queries: Int[Tensor, " query"] | None = None
) -> Float[Tensor, "*leading"]:
    """Mean distance of attention in patches, in the picture's plane (Dosovitskiy et al. 2020, figure 7).

    Tokens without a position (class, registers) are left out, as queries and as keys; the remaining weights of a row
    are scaled to sum to 1. Rows without attention to patches are left out.
    """
    before = len(patches.prefix)
    places = _places(weights, queries)
    is_patch = places >= before
    distances = _plane_distances(patches)[places[is_patch] - before].to(weights)
    return (shares(weights[..., is_patch, before:]) * distances).sum(dim=-1).nanmean(dim=-1)


def moved(
    before: Float[Tensor, "*leading query key"], after: Float[Tensor, "*leading query key"]
) -> Float[Tensor, "*leading"]:
    """The mean share of a row's attention that went elsewhere: the total variation distance, from 0 to 1.

    1/2 where a row had attention in one of the two only; rows without any in both are left out.
    """
    first, second = shares(before), shares(after)
    without_attention = first.isnan().any(dim=-1) & second.isnan().any(dim=-1)
    distance = (first.nan_to_num(nan=0.0) - second.nan_to_num(nan=0.0)).abs().sum(dim=-1) / 2
    return distance.masked_fill(without_attention, math.nan).nanmean(dim=-1)


def largest_entropy(queries: Int[Tensor, " query"], keys: int, *, causal: bool) -> float:
    """The largest possible mean entropy in bits: that of rows that attend evenly to every allowed key."""
    allowed = queries + 1 if causal else torch.full_like(queries, keys)
    return float(allowed.double().log2().mean())


def largest_distance(queries: Int[Tensor, " query"], keys: int, *, causal: bool) -> float:
    """The largest possible mean distance in tokens: that of rows that attend only to the farthest key."""
    farthest = queries if causal else torch.maximum(queries, keys - 1 - queries)
    return float(farthest.double().mean())


def largest_distance_in_plane(patches: Patches) -> float:
    """The largest possible mean distance in patches: from each patch to the corner farthest from it."""
    return float(_plane_distances(patches).amax(dim=-1).mean())


def even_distance_in_plane(patches: Patches) -> float:
    """The mean distance in patches of attention that is spread evenly over the picture."""
    return float(_plane_distances(patches).mean())


def _places(weights: Tensor, queries: Tensor | None) -> Tensor:
    """The positions of the rows among the keys: `queries`, or all of them in order."""
    return torch.arange(weights.shape[-2], device=weights.device) if queries is None else queries


def _share_at_offset(weights: Tensor, places: Tensor, *, behind: int) -> Tensor:
    """The share of the key `behind` positions before the query; rows without such a key are left out."""
    rows = torch.arange(len(places), device=weights.device)[places >= behind]
    return weights[..., rows, places[rows] - behind]


def _distances(places: Tensor, keys: int) -> Tensor:
    return (places[:, None] - torch.arange(keys, device=places.device)).abs()


def _plane_distances(patches: Patches) -> Float[Tensor, "query key"]:
    """The distance of every patch from every patch, in patches."""
    rows, columns = torch.arange(patches.rows), torch.arange(patches.columns)
    places = torch.cartesian_prod(rows, columns).reshape(-1, 2).double()
    return torch.cdist(places, places)
