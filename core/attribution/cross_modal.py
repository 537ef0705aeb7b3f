"""Aggregated attention of two modalities, words and picture: rollout, and relevance by gradients.

A network is a sequence of steps; in each step one or both sides attend, to themselves or to the other:

    steps = [(Look("words", "words", a0, g0),),                              # the text alone
             (Look("words", "picture", a1, g1), Look("picture", "words", a2, g2))]   # co-attention: both at once
    relevance(steps, words=12, picture=65).across                            # (word, key)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from ..heads.measures import check_not_negative
from .aggregation import mean_over_heads

Side = Literal["words", "picture"]
OTHER: dict[Side, Side] = {"words": "picture", "picture": "words"}


@dataclass(frozen=True, eq=False)
class LayerAttention:
    """One attention layer: the sides of queries and keys, the weights, and the gradient of a score in them."""

    query_side: Side
    key_side: Side
    weights: Float[Tensor, "head query key"]
    gradient: Float[Tensor, "head query key"] | None = None


Steps = Sequence[Sequence[LayerAttention]]


@dataclass(frozen=True, eq=False)
class CrossModalRelevance:
    """The relevance of words and of parts of the picture for each word and for each part of the picture."""

    words: Float[Tensor, "query query"]
    picture: Float[Tensor, "key key"]
    words_on_picture: Float[Tensor, "query key"]  # row: word, column: part of the picture
    picture_on_words: Float[Tensor, "key query"]  # row: part of the picture, column: word


def relevance(steps: Steps, *, words: int, picture: int) -> CrossModalRelevance:
    """Gradient x attention for two modalities (Chefer, Gur and Wolf 2021, "Generic Attention-model Explainability").

    With A' the mean over heads of the positive part of gradient times weight (equation 5), R_xx = 1 and R_xy = 0 at
    the start, and s the side of the queries:

        keys of s (equations 6, 7)               R_ss += A' R_ss          R_st += A' R_st
        keys of the other, t (equations 10, 11)  R_st += R~_ss^T A' R~_tt   R_ss += A' R_ts

    R~ = (R - 1) with rows that sum to 1, plus 1 (equations 8, 9). All layers of one step read the R of before it.
    """
    sizes: dict[Side, int] = {"words": words, "picture": picture}
    sides: tuple[Side, Side] = ("words", "picture")
    relevances = {
        (s, t): torch.eye(sizes[s]) if s == t else torch.zeros(sizes[s], sizes[t]) for s in sides for t in sides
    }
    for step in steps:
        previous = dict(relevances)
        for layer in step:
            if layer.gradient is None:
                raise ValueError("Relevance needs the gradient of each layer's weights.")
            s, t = layer.query_side, OTHER[layer.query_side]
            weighted = mean_over_heads((layer.gradient * layer.weights).clamp(min=0))
            if layer.key_side == s:
                relevances[s, s] = relevances[s, s] + weighted @ previous[s, s]
                relevances[s, t] = relevances[s, t] + weighted @ previous[s, t]
            else:
                relevances[s, t] = relevances[s, t] + normalize_relevance(
                    previous[s, s]
                ).mT @ weighted @ normalize_relevance(previous[t, t])
                relevances[s, s] = relevances[s, s] + weighted @ previous[t, s]
    return CrossModalRelevance(
        relevances["words", "words"],
        relevances["picture", "picture"],
        relevances["words", "picture"],
        relevances["picture", "words"],
    )


def normalize_relevance(relevant: Float[Tensor, "token token"]) -> Float[Tensor, "token token"]:
    """R~ of equations 8 and 9: R without the identity, each row scaled to sum to 1, plus the identity.

    A row of R - 1 that sums to 0 stays 0.
    """
    identity = torch.eye(len(relevant))
    from_others = relevant - identity
    total = from_others.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, from_others / total.clamp(min=torch.finfo(total.dtype).tiny), 0.0) + identity


def rollout(steps: Steps, *, words: int, picture: int) -> Float[Tensor, "query key"]:
    """Attention rollout (Abnar and Zuidema 2020) over words and parts of the picture as one set of tokens.

    In each step a token keeps one half, and takes the other from its keys (heads averaged); a token without a layer in
    the step, or whose keys are all masked (NaN), keeps itself. Each step's rows are scaled to sum to 1, as in the
    paper, also where a mask after the softmax took a part of them. Words come first. Raises CaptureError for weights
    below 0.
    """
    start = {"words": slice(0, words), "picture": slice(words, words + picture)}
    rolled = torch.eye(words + picture)
    for step in steps:
        graph = torch.eye(words + picture)
        for layer in step:
            check_not_negative(layer.weights)
            graph[start[layer.query_side]] *= 0.5
            graph[start[layer.query_side], start[layer.key_side]] += 0.5 * mean_over_heads(layer.weights).nan_to_num(
                nan=0.0
            )
        rolled = graph / graph.sum(dim=-1, keepdim=True) @ rolled
    return rolled


def gradient_times_attention(steps: Steps, *, key_side: Side = "picture") -> Float[Tensor, "query key"]:
    """The sum of A' (equation 5) over all layers with words as queries and one side as keys, without rollout."""
    maps = [
        mean_over_heads((layer.gradient * layer.weights).clamp(min=0))
        for step in steps
        for layer in step
        if layer.query_side == "words" and layer.key_side == key_side and layer.gradient is not None
    ]
    if not maps:
        raise ValueError(f"No word looked at the {key_side} with a gradient.")
    return torch.stack(maps).sum(dim=0)


def mean_attention(steps: Steps) -> Float[Tensor, "query key"]:
    """The mean over layers and heads of the attention of words to parts of the picture."""
    layers = [layer for step in steps for layer in step if layer.query_side == "words" and layer.key_side == "picture"]
    if not layers:
        raise ValueError("No word looked at the picture.")
    return torch.stack([mean_over_heads(layer.weights) for layer in layers]).mean(dim=0)
