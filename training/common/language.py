"""Bits that a language model needs for a text, and trigram models as baselines."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@torch.inference_mode()
def bits(model: nn.Module, tokens: np.ndarray, context: int) -> float:
    """Bits that the model needs for all tokens after the first, each predicted from at least `context` / 2 tokens
    where there are as many."""
    stream = torch.from_numpy(tokens.astype(np.int64))
    total, stride, scored = 0.0, context // 2, 1
    for start in range(0, len(stream) - 1, stride):
        window = stream[start : start + context + 1]
        losses = F.cross_entropy(model(window[None, :-1])[0], window[1:], reduction="none")
        fresh = start + len(window) - scored  # the last tokens of the window were not scored before
        total += losses[len(losses) - fresh :].sum().item()
        scored += fresh
        if scored == len(stream):
            break
    return total / math.log(2)


class Trigram:
    """A trigram model with Witten-Bell smoothing (Witten and Bell 1991; Chen and Goodman 1999, section 2.5).

    P(w | h) = (c(h, w) + t(h) P(w | shorter h)) / (c(h) + t(h)), where t(h) counts the different tokens seen after h.
    """

    def __init__(self, tokens: np.ndarray, vocabulary: int):
        self.vocabulary = vocabulary
        self.counts = [_Counts(self._keys(tokens, length)) for length in (1, 2, 3)]
        self.histories = [_Histories(counts, vocabulary) for counts in self.counts]

    def bits(self, tokens: np.ndarray) -> float:
        """Bits for all tokens after the first."""
        probability = np.full(len(tokens), 1 / self.vocabulary)
        for length, counts, histories in zip((1, 2, 3), self.counts, self.histories, strict=True):
            keys = self._keys(tokens, length)
            total, types = histories(keys // self.vocabulary)
            shorter_probability = probability[length - 1 :]
            # An unknown history falls back to the shorter one.
            is_known_history = total > 0
            mixed = (counts(keys) + types * shorter_probability) / np.maximum(total + types, 1)
            probability[length - 1 :] = np.where(is_known_history, mixed, shorter_probability)
        return float(-np.log2(probability[1:]).sum())

    def _keys(self, tokens: np.ndarray, length: int) -> np.ndarray:
        """Each n-gram of `length` tokens as one number."""
        tokens = tokens.astype(np.int64)
        keys = np.zeros(len(tokens) - length + 1, dtype=np.int64)
        for place in range(length):
            keys = keys * self.vocabulary + tokens[place : len(tokens) - length + 1 + place]
        return keys


class _Counts:
    """The count of each key."""

    def __init__(self, keys: np.ndarray):
        self.keys, self.numbers = np.unique(keys, return_counts=True)

    def __call__(self, keys: np.ndarray) -> np.ndarray:
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.numbers[place], 0)


class _Histories:
    """For each history the number of tokens that follow it, and of different ones."""

    def __init__(self, counts: _Counts, vocabulary: int):
        self.keys, first = np.unique(counts.keys // vocabulary, return_index=True)
        self.types = np.diff(np.append(first, len(counts.keys)))
        self.total = np.add.reduceat(counts.numbers, first)

    def __call__(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_known = self.keys[place] == keys
        return np.where(is_known, self.total[place], 0), np.where(is_known, self.types[place], 0)


class TwoSided:
    """A trigram model of what stands between two tokens, with Witten-Bell smoothing (as `Trigram`).

    P(w | l, r) = (c(l, w, r) + t(l, r) Q(w | l, r)) / (c(l, r) + t(l, r)), where Q is what the two neighbours say
    apart, each smoothed in the same way: Q(w | l, r) ~ P(w | after l) P(w | before r) / P(w).
    """

    def __init__(self, tokens: np.ndarray, vocabulary: int):
        self.vocabulary, tokens = vocabulary, tokens.astype(np.int64)
        # Add-one smoothing, so that no token is impossible.
        self.alone = (np.bincount(tokens, minlength=vocabulary) + 1.0) / (len(tokens) + vocabulary)
        pairs = np.bincount(tokens[:-1] * vocabulary + tokens[1:], minlength=vocabulary**2)
        pairs = pairs.reshape(vocabulary, vocabulary).astype(np.float32)
        self.after, self.before = self._smoothed(pairs), self._smoothed(pairs.T)
        keys = (tokens[:-2] * vocabulary + tokens[2:]) * vocabulary + tokens[1:-1]
        self.keys, self.counts = np.unique(keys, return_counts=True)

    def _smoothed(self, counts: np.ndarray) -> np.ndarray:
        total, types = counts.sum(axis=1, keepdims=True), (counts > 0).sum(axis=1, keepdims=True)
        return ((counts + types * self.alone) / np.maximum(total + types, 1)).astype(np.float32)

    def guess(self, left: np.ndarray, right: np.ndarray, true_tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The probability of each true token, and the most probable token, between tokens `left` and `right`."""
        probabilities, best = np.empty(len(true_tokens)), np.empty(len(true_tokens), dtype=np.int64)
        firsts = np.searchsorted(self.keys, (left * self.vocabulary + right) * self.vocabulary)
        lasts = np.searchsorted(self.keys, (left * self.vocabulary + right + 1) * self.vocabulary)
        for place, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
            independent = self.after[left[place]] * self.before[right[place]] / np.maximum(self.alone, 1e-12)
            total = independent.sum()
            distribution = independent / total if total else self.alone
            if last > first:
                candidates, counts = self.keys[first:last] % self.vocabulary, self.counts[first:last]
                distribution = distribution * (last - first)
                distribution[candidates] += counts
                distribution /= counts.sum() + last - first
            probabilities[place], best[place] = distribution[true_tokens[place]], distribution.argmax()
        return probabilities, best
