"""IBM model 1: which word translates which, learned by counting alone (Brown et al. 1993, section 4.1).

Each word f_j of the target comes from one word e_i of the source, every place i = 0 ... l being equally likely; e_0 is
NULL, the source of words that come from nothing (equation 5):

    P(f, a | e) = epsilon / (l + 1)^m  prod_j t(f_j | e_(a_j))

Expectation maximisation, from t uniform (equations 17 and 14):

    c(f | e)  = sum over pairs of  t(f | e) / (t(f | e_0) + ... + t(f | e_l)), once for each place where f and e stand
    t(f | e)  = c(f | e) / sum_f c(f | e)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

Words = Sequence[str]
NULL = 0  # the number of the source word that is not there


@dataclass(frozen=True, eq=False)
class IBM1:
    """Translation probabilities t(target | source), for words that stood together in some pair; else 0.

    `keys` are the pairs of words as numbers, source * number of target words + target, in ascending order, and
    `probabilities` belong to them. `log_likelihoods` are those of the text before each round, and after the last.
    Words are compared in lower case.
    """

    sources: dict[str, int]  # from 1; NULL is 0
    targets: dict[str, int]  # from 0
    keys: np.ndarray = field(repr=False)
    probabilities: np.ndarray = field(repr=False)
    log_likelihoods: tuple[float, ...] = ()

    def probability(self, target: str, source: str | None) -> float:
        """t(target | source); `None` is the NULL word."""
        return float(self._table([target], [] if source is None else [source])[0, -1])

    def links(self, source: Words, target: Words) -> set[tuple[int, int]]:
        """(source word, target word): the most probable source of each target word, where that is not NULL."""
        table = self._table(target, source)
        best = table.argmax(axis=1)
        return {(int(place) - 1, row) for row, place in enumerate(best) if place != NULL and table[row, place] > 0}

    def _table(self, target: Words, source: Words) -> np.ndarray:
        """t of each target word (row) given NULL and each source word (column)."""
        columns = np.array([NULL, *(self.sources.get(word.lower(), -1) for word in source)])
        rows = np.array([self.targets.get(word.lower(), -1) for word in target], dtype=np.int64)
        wanted = columns[None, :] * len(self.targets) + rows[:, None]
        places = np.searchsorted(self.keys, wanted).clip(max=len(self.keys) - 1)
        known = (self.keys[places] == wanted) & (columns[None, :] >= 0) & (rows[:, None] >= 0)
        return np.where(known, self.probabilities[places], 0.0)


def learn(pairs: Sequence[tuple[Words, Words]], *, rounds: int = 5) -> IBM1:
    """Learn from pairs of (source words, target words) by so many rounds of expectation maximisation."""
    sources, targets = _numbered([pair[0] for pair in pairs], first=1), _numbered([pair[1] for pair in pairs], first=0)
    if not targets:
        raise ValueError("IBM model 1 learns from pairs of words: these pairs have no target word.")
    together, row, lengths = _together(pairs, sources, targets)
    keys, link = np.unique(together, return_inverse=True)
    source = keys // len(targets)
    t = np.full(len(keys), 1 / len(targets))
    likelihoods = []
    for _ in range(rounds):
        share = t[link]
        total = np.bincount(row, weights=share)
        likelihoods.append(float(np.log(total / lengths).sum()))
        counts = np.bincount(link, weights=share / total[row], minlength=len(keys))
        t = counts / np.bincount(source, weights=counts)[source]
    likelihoods.append(float(np.log(np.bincount(row, weights=t[link]) / lengths).sum()))
    return IBM1(sources, targets, keys, t, tuple(likelihoods))


def _numbered(texts: Sequence[Words], first: int) -> dict[str, int]:
    """Each word, in lower case, with a number of its own."""
    return {word: number for number, word in enumerate(dict.fromkeys(w.lower() for t in texts for w in t), start=first)}


def _together(
    pairs: Sequence[tuple[Words, Words]], sources: dict[str, int], targets: dict[str, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every target word beside NULL and each word of its source: the key of the two, and which target word it is.

    The third array says for each target word how many words it may come from.
    """
    left = np.array([n for source, _ in pairs for n in (NULL, *(sources[word.lower()] for word in source))])
    right = np.array([targets[word.lower()] for _, target in pairs for word in target], dtype=np.int64)
    widths = np.array([1 + len(source) for source, _ in pairs])
    heights = np.array([len(target) for _, target in pairs])
    width = np.repeat(widths, heights)  # of each target word
    start = np.repeat(np.cumsum(widths) - widths, heights)  # where its source begins in `left`
    row = np.repeat(np.arange(len(right)), width)
    place = np.arange(len(row)) - np.repeat(np.cumsum(width) - width, width)
    return left[start[row] + place] * len(targets) + right[row], row, width
