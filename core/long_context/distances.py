"""How far a head looks back in a long text, from rows spread evenly over it."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .head_map import CHUNK, HeadMap

ROWS = 128  # sampled rows of a head


@dataclass(frozen=True, eq=False)
class Distances:
    """The share of attention at each distance between query and key, averaged over the sampled rows.

    `edges` are the smallest distances of the classes (0, 1, 2, 4, 8 ...); `first_token` is the share of the first
    token, which counts at its distance, too; `mean` is the average distance in tokens without the first token, and
    `error` its standard error over the rows (nan for a single row). `strongest_far` is the largest weight at a distance
    of more than a quarter of the text, but for the first token; 0 where there is none.
    """

    edges: tuple[int, ...]
    shares: Float[Tensor, " distance"]
    first_token: float
    mean: float
    error: float
    strongest_far: float

    def beyond(self, distance: int) -> float:
        """The share at a distance of `distance` or more, which has to be one of `edges`."""
        return float(self.shares[self.edges.index(distance) :].sum())


def distances(head: HeadMap, rows: int = ROWS) -> Distances:
    """How far a head looks, from `rows` of its rows, each of them exact."""
    length = len(head)
    sampled = sampled_rows(length, rows)
    edges = (0, *(2**power for power in range(max(1, math.ceil(math.log2(max(2, length)))))))
    lower = torch.tensor(edges)
    shares, means, first, far = torch.zeros(len(edges), dtype=torch.double), [], [], 0.0
    positions = torch.arange(length)
    for some in sampled.split(max(1, CHUNK**2 // length)):
        weights = head.weights(some, slice(None)).double()
        apart = (some[:, None] - positions).abs()
        classes = torch.bucketize(apart, lower, right=True) - 1
        shares.index_add_(0, classes.flatten(), weights.flatten())
        rest = weights[:, 1:]
        means.append((rest * apart[:, 1:]).sum(1) / rest.sum(1).clamp(min=1e-12))
        first.append(weights[:, 0])
        is_far = apart[:, 1:] > length // 4
        far = max(far, float((rest * is_far).max())) if rest.shape[1] else far
    mean = torch.cat(means)
    error = float(mean.std() / len(mean) ** 0.5) if len(mean) > 1 else math.nan
    shares = (shares / len(sampled)).float()
    return Distances(edges, shares, float(torch.cat(first).mean()), float(mean.mean()), error, far)


def sampled_rows(length: int, rows: int = ROWS) -> Int[Tensor, " row"]:
    """At most `rows` rows, spread evenly over a text of `length` tokens, from which `distances` are measured."""
    count = min(rows, length)
    return ((torch.arange(count) + 0.5) / count * length).long()
