"""Attention as a soft look-up in a dictionary: one query, and an entry of key and value for each row.

    lookup = soft_lookup(query, key, value, temperature=0.25)
    lookup.shares        # softmax of query · key / temperature
    lookup.answer        # the mean of all values, weighted by the shares

A hard look-up, which returns the value of the best key, is the limit of temperature 0. Graves et al. 2014 ("Neural
Turing Machines", section 3.3.1) call it content-based addressing; Vaswani et al. 2017 (section 3.2.1) fix the
temperature at the square root of head_dim.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from .steps import steps_from_heads

TIE = 1e-6  # scores that differ by no more are equal, as a share of the larger one (of 1 if that is smaller)


@dataclass(frozen=True)
class Lookup:
    """The answer to one query. `best` holds the places of the keys with the highest score: several in a tie."""

    scores: Float[Tensor, " key"]
    shares: Float[Tensor, " key"]
    answer: Float[Tensor, " value_dim"]
    best: tuple[int, ...]


def soft_lookup(
    query: Float[Tensor, " head_dim"],
    key: Float[Tensor, "key head_dim"],
    value: Float[Tensor, "key value_dim"],
    *,
    temperature: float,
) -> Lookup:
    """The values mixed by softmax(query · key / temperature), with the arithmetic of `steps_from_heads`.

    At temperature 0 the best key gets everything; keys that tie share it evenly. So it is, too, where the temperature
    is so small that a score divided by it is no finite number. Raises ValueError for a temperature below 0 or NaN, for
    a dictionary without entries, and for scores that are not finite.
    """
    if not temperature >= 0:
        raise ValueError(f"The temperature must be 0 or more, not {temperature}.")
    if not len(key):
        raise ValueError("A dictionary without entries has no answer.")
    scores = key @ query
    if not scores.isfinite().all():
        raise ValueError("A query and keys whose dot products are not finite have no answer.")
    highest = float(scores.max())
    is_best = scores >= highest - TIE * max(1.0, abs(highest))
    if temperature == 0 or not (scores * (1 / temperature)).isfinite().all():
        shares = is_best.to(scores.dtype) / is_best.sum()
        answer = shares @ value
    else:
        steps = steps_from_heads(query[None, None], key[None], value[None], scale=False, temperature=temperature)
        arrays = {symbol: array for step in steps for symbol, array in step.arrays.items()}
        shares, answer = arrays["A"][0, 0], arrays["H"][0, 0]
    return Lookup(scores, shares, answer, tuple(torch.nonzero(is_best).flatten().tolist()))
