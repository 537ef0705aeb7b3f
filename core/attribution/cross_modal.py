"""Many maps of words and picture made into one: rollout, and relevance by gradients. Weights in, numbers out.

A network is a sequence of steps; in each step one or both sides look, at themselves or at the other:

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
class Look:
    """One attention layer: who looks at whom, the weights, and how a score changes with each of them."""

    side: Side
    at: Side
    weights: Float[Tensor, "head query key"]
    gradient: Float[Tensor, "head query key"] | None = None


Steps = Sequence[Sequence[Look]]


@dataclass(frozen=True, eq=False)
class Relevant:
    """What each word, and each part of the picture, rests on: words, and parts of the picture."""

    words: Float[Tensor, "query query"]
    picture: Float[Tensor, "key key"]
    across: Float[Tensor, "query key"]  # of words on parts of the picture
    back: Float[Tensor, "key query"]  # of parts of the picture on words


def relevance(steps: Steps, *, words: int, picture: int) -> Relevant:
    """Gradient x attention for two modalities (Chefer, Gur and Wolf 2021, "Generic Attention-model Explainability").

    With A' the mean over heads of the positive part of gradient times weight (equation 5), R_xx = 1 and R_xy = 0 at
    the start, and s the side that looks:

        at itself (equations 6, 7)         R_ss += A' R_ss          R_st += A' R_st
        at the other, t (equations 10, 11) R_st += R~_ss^T A' R~_tt   R_ss += A' R_ts

    R~ = (R - 1) with rows that sum to 1, plus 1 (equations 8, 9). The looks of one step read what was before it.
    """
    sizes: dict[Side, int] = {"words": words, "picture": picture}
    sides: tuple[Side, Side] = ("words", "picture")
    found = {(s, t): torch.eye(sizes[s]) if s == t else torch.zeros(sizes[s], sizes[t]) for s in sides for t in sides}
    for step in steps:
        former = dict(found)
        for look in step:
            if look.gradient is None:
                raise ValueError("Relevance needs the gradient of each layer's weights.")
            s, t = look.side, OTHER[look.side]
            moved = mean_over_heads((look.gradient * look.weights).clamp(min=0))
            if look.at == s:
                found[s, s] = found[s, s] + moved @ former[s, s]
                found[s, t] = found[s, t] + moved @ former[s, t]
            else:
                found[s, t] = found[s, t] + shared(former[s, s]).mT @ moved @ shared(former[t, t])
                found[s, s] = found[s, s] + moved @ former[t, s]
    return Relevant(
        found["words", "words"],
        found["picture", "picture"],
        found["words", "picture"],
        found["picture", "words"],
    )


def shared(relevant: Float[Tensor, "token token"]) -> Float[Tensor, "token token"]:
    """R~ of equations 8 and 9: what was handed on so far, each row scaled to sum to 1, and the token itself.

    A row to which nothing was handed on stays 0.
    """
    own = torch.eye(len(relevant))
    handed = relevant - own
    total = handed.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, handed / total.clamp(min=torch.finfo(total.dtype).tiny), 0.0) + own


def rollout(steps: Steps, *, words: int, picture: int) -> Float[Tensor, "query key"]:
    """Attention rollout (Abnar and Zuidema 2020) over words and parts of the picture as one set of tokens.

    In each step a token keeps one half, and takes the other by what it looks at (heads averaged); who does not look, or
    may look at nothing (NaN), keeps itself. Each step's rows are scaled to sum to 1, as in the paper, also where a mask
    after the softmax took a part of them. Words come first. Raises CaptureError for weights below 0.
    """
    start = {"words": slice(0, words), "picture": slice(words, words + picture)}
    rolled = torch.eye(words + picture)
    for step in steps:
        graph = torch.eye(words + picture)
        for look in step:
            check_not_negative(look.weights)
            graph[start[look.side]] *= 0.5
            graph[start[look.side], start[look.at]] += 0.5 * mean_over_heads(look.weights).nan_to_num(nan=0.0)
        rolled = graph / graph.sum(dim=-1, keepdim=True) @ rolled
    return rolled


def gradient_times_attention(steps: Steps, *, at: Side = "picture") -> Float[Tensor, "query key"]:
    """The sum over all looks of words at one side of A' (equation 5): no way is followed further down."""
    found = [
        mean_over_heads((look.gradient * look.weights).clamp(min=0))
        for step in steps
        for look in step
        if look.side == "words" and look.at == at and look.gradient is not None
    ]
    if not found:
        raise ValueError(f"No word looked at the {at} with a gradient.")
    return torch.stack(found).sum(dim=0)


def mean_attention(steps: Steps) -> Float[Tensor, "query key"]:
    """The mean over layers and heads of what words give to parts of the picture."""
    looks = [look for step in steps for look in step if look.side == "words" and look.at == "picture"]
    if not looks:
        raise ValueError("No word looked at the picture.")
    return torch.stack([mean_over_heads(look.weights) for look in looks]).mean(dim=0)
