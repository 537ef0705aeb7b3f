"""Aggregated attention maps: means, rollout and paths, as functions of the weights alone.

They leave out everything else that a layer does: values, W_O, norms and the MLP.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..heads.measures import check_not_negative
from ..progress import Progress


def mean_over_heads(weights: Float[Tensor, "*leading head query key"]) -> Float[Tensor, "*leading query key"]:
    """The mean map of a layer; a row sums to the mean of what the heads' rows sum to, 1 of softmaxes."""
    return weights.mean(dim=-3)


def max_over_heads(weights: Float[Tensor, "*leading head query key"]) -> Float[Tensor, "*leading query key"]:
    """The largest weight that any head gives to each link; a row sums to no less than that of any head."""
    return weights.amax(dim=-3)


def mean_over_layers(weights: Float[Tensor, "layer *leading query key"]) -> Float[Tensor, "*leading query key"]:
    """The mean map of a stack; a row sums to the mean of what the layers' rows sum to, 1 of softmaxes."""
    return weights.mean(dim=0)


def with_residual(weights: Float[Tensor, "*leading token token"]) -> Float[Tensor, "*leading token token"]:
    """The graph of rollout and paths: 0.5 A + 0.5 I, each row scaled to sum to 1 (Abnar and Zuidema 2020, section 3).

    One half stands for the residual connection, whatever its real weight; more where a row of A sums to less than 1: a
    query without attention (a row of 0) or whose keys are all masked (NaN) keeps itself. Raises CaptureError for
    weights below 0.
    """
    check_not_negative(weights)
    graph = (weights.nan_to_num(nan=0.0) + torch.eye(weights.shape[-1], device=weights.device)) / 2
    return graph / graph.sum(dim=-1, keepdim=True)


def rollout(graph: Float[Tensor, "layer token token"]) -> Float[Tensor, "layer token token"]:
    """Attention rollout up to each layer: graph[l] @ ... @ graph[0] (Abnar and Zuidema 2020, section 3).

    Entry (l, i, j) is the sum, over all paths from token i after layer l down to token j at the input, of the product
    of the weights along the path. Rows sum to 1.
    """
    rolled = [graph[0]]
    for layer in graph[1:]:
        rolled.append(layer @ rolled[-1])
    return torch.stack(rolled)


def strongest_paths(
    graph: Float[Tensor, "layer token token"], progress: Progress | None = None
) -> Float[Tensor, "layer token token"]:
    """The largest product of weights along any single path; rollout sums the products over all paths.

    Never more than rollout (one term of its sum) and never more than the widest path (no factor exceeds 1).
    """
    return _best_paths(graph, torch.mul, progress)


def widest_paths(
    graph: Float[Tensor, "layer token token"], progress: Progress | None = None
) -> Float[Tensor, "layer token token"]:
    """The bottleneck of the widest path: the largest value such that some path has no link below it.

    A lower bound of attention flow (Abnar and Zuidema 2020, section 3), the maximum flow from token i after layer l
    to token j at the input through links with these weights as capacities: one path alone can carry its narrowest
    link. Rollout is a lower bound of the same flow, because what it sends through a link never exceeds the weight.
    """
    return _best_paths(graph, torch.minimum, progress)


def strongest_route(graph: Float[Tensor, "layer token token"], query: int, key: int) -> tuple[int, ...]:
    """The tokens on the strongest path from `query` after the last layer down to `key` at the input, both included.

    Of equally strong paths one is returned.
    """
    best = torch.zeros(graph.shape[-1], device=graph.device)
    best[key] = 1.0
    steps: list[Tensor] = []
    for layer in graph:
        best, chosen = (layer * best).max(dim=-1)
        steps.append(chosen)
    route = [query]
    for chosen in reversed(steps):
        route.append(int(chosen[route[-1]]))
    return tuple(route)


def _best_paths(graph: Tensor, combine: Callable, progress: Progress | None) -> Tensor:
    """For each pair of tokens the value of the best path: its weights combined by `combine`."""
    causal = not graph.triu(1).any().item()
    best = [graph[0]]
    for done, layer in enumerate(graph[1:], start=2):
        best.append(_best_product(layer, best[-1], combine, causal=causal))
        if progress is not None:
            progress(done, len(graph))
    return torch.stack(best)


def _best_product(upper: Tensor, lower: Tensor, combine: Callable, *, causal: bool) -> Tensor:
    """A matrix product with maximum for sum: the largest combine(upper, lower) over the middle tokens.

    One middle token at a time, for all pairs at once; under a causal mask only pairs on both sides of it.
    """
    best, term, upper = torch.zeros_like(lower), torch.empty_like(lower), upper.T.contiguous()
    for middle in range(len(lower)):
        pairs = (slice(middle, None), slice(middle + 1)) if causal else (slice(None), slice(None))
        combine(upper[middle, pairs[0], None], lower[middle, None, pairs[1]], out=term[pairs])
        torch.maximum(best[pairs], term[pairs], out=best[pairs])
    return best


def readout_tokens(gradient: Float[Tensor, "batch head query key"]) -> Bool[Tensor, " query"]:
    """The tokens that the output layer reads: those whose rows in the last layer's attention have a gradient.

    That is the class token, or class and distilled token, or all patches or words where their mean is taken.
    """
    return (gradient != 0).any(dim=-1).any(dim=1).any(dim=0)


def last_layer_attention(
    weights: tuple[Float[Tensor, "batch head _ key"], ...], read: Bool[Tensor, " query"]
) -> Float[Tensor, "batch key"]:
    """The last layer's attention of the tokens that are read: the mean over heads and over these tokens."""
    return mean_over_heads(weights[-1])[:, read].mean(dim=1)


def rollout_of_tokens(
    weights: tuple[Float[Tensor, "batch head token token"], ...], read: Bool[Tensor, " token"]
) -> Float[Tensor, "batch token"]:
    """Attention rollout of the tokens that are read (Abnar and Zuidema 2020), heads averaged; each row sums to 1."""
    graph = torch.stack([with_residual(mean_over_heads(layer)) for layer in weights])
    return torch.stack([rollout(graph[:, item])[-1, read].mean(dim=0) for item in range(graph.shape[1])])
