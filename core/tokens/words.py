"""Attention between words, where a tokenizer cuts words into several tokens."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from ..text import Tokens


def word_spans(tokens: Tokens) -> tuple[range, ...]:
    """Which tokens make up each word, in order; a token that belongs to no word stands alone."""
    spans: list[range] = []
    for place, word in enumerate(tokens.words):
        if spans and word is not None and word == tokens.words[place - 1]:
            spans[-1] = range(spans[-1].start, place + 1)
        else:
            spans.append(range(place, place + 1))
    return tuple(spans)


def join_words(
    weights: Float[Tensor, "*leading query key"], queries: Sequence[range], keys: Sequence[range]
) -> Float[Tensor, "*leading _ _"]:
    """Attention between words: the sum over the pieces that are looked at, the mean over those that look.

    So each word's attention sums to what its pieces' rows sum to, 1 of softmaxes (Clark et al. 2019, section 4.1).
    `queries` and `keys` are the spans of the words (`word_spans`), one after the other.
    """
    summed = _over_words(weights, keys, torch.sum)
    return _over_words(summed.mT, queries, torch.mean).mT


def best_of_words(
    weights: Float[Tensor, "*leading query key"], queries: Sequence[range], keys: Sequence[range]
) -> Float[Tensor, "*leading _ _"]:
    """The largest value between any piece of one word and any piece of another: what joining means for paths."""
    best = _over_words(weights, keys, torch.amax)
    return _over_words(best.mT, queries, torch.amax).mT


def _over_words(weights: Tensor, words: Sequence[range], over: Callable) -> Tensor:
    """The last axis with one entry for each word: the sum, the mean or the largest over its pieces."""
    pieces = weights.split([len(word) for word in words], dim=-1)
    return torch.stack([over(piece, dim=-1) for piece in pieces], dim=-1)
