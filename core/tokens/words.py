"""Attention between words, where a word has several tokens."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from ..text import Tokens


def word_spans(tokens: Tokens) -> tuple[range, ...]:
    """The span of tokens of each word, in order; a token of no word has a span of its own."""
    spans: list[range] = []
    for index, word in enumerate(tokens.words):
        if spans and word is not None and word == tokens.words[index - 1]:
            spans[-1] = range(spans[-1].start, index + 1)
        else:
            spans.append(range(index, index + 1))
    return tuple(spans)


def join_words(
    weights: Float[Tensor, "*leading query key"], queries: Sequence[range], keys: Sequence[range]
) -> Float[Tensor, "*leading _ _"]:
    """Attention between words: the sum over the tokens of a key word, the mean over those of a query word.

    So rows sum to what the rows of the tokens sum to, 1 after a softmax (Clark et al. 2019, section 4.1). `queries` and
    `keys` are the spans of consecutive words (see `word_spans`).
    """
    summed = _over_words(weights, keys, torch.sum)
    return _over_words(summed.mT, queries, torch.mean).mT


def max_between_words(
    weights: Float[Tensor, "*leading query key"], queries: Sequence[range], keys: Sequence[range]
) -> Float[Tensor, "*leading _ _"]:
    """The largest value between any token of one word and any token of another; for measures that are no shares."""
    largest = _over_words(weights, keys, torch.amax)
    return _over_words(largest.mT, queries, torch.amax).mT


def _over_words(weights: Tensor, words: Sequence[range], reduce: Callable) -> Tensor:
    """Weights whose last axis is reduced to words, by the sum, mean or maximum over their tokens."""
    pieces = weights.split([len(word) for word in words], dim=-1)
    return torch.stack([reduce(piece, dim=-1) for piece in pieces], dim=-1)
