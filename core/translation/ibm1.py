"""IBM model 1: word translation probabilities by expectation maximisation (Brown et al. 1993, section 4.1).

Each word f_j of the target comes from one word e_i of the source, every position i = 0 ... l being equally likely; e_0
is NULL, the source of words without a counterpart (equation 5):

    P(f, a | e) = epsilon / (l + 1)^m  prod_j t(f_j | e_(a_j))

Expectation maximisation, from t uniform (equations 17 and 14):

    c(f | e)  = sum over pairs of  t(f | e) / (t(f | e_0) + ... + t(f | e_l)), once for each place where f and e stand
    t(f | e)  = c(f | e) / sum_f c(f | e)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

Words = Sequence[str]
NULL = 0  # the number of the empty source word


@dataclass(frozen=True, eq=False)
class IBM1:
    """Translation probabilities t(target | source), for words that co-occur in some sentence pair; else 0.

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
        return {(int(column) - 1, row) for row, column in enumerate(best) if column != NULL and table[row, column] > 0}

    def _table(self, target: Words, source: Words) -> np.ndarray:
        """t of each target word (row) given NULL and each source word (column)."""
        columns = np.array([NULL, *(self.sources.get(word.lower(), -1) for word in source)])
        rows = np.array([self.targets.get(word.lower(), -1) for word in target], dtype=np.int64)
        table_keys = columns[None, :] * len(self.targets) + rows[:, None]
        indices = np.searchsorted(self.keys, table_keys).clip(max=len(self.keys) - 1)
        is_known = (self.keys[indices] == table_keys) & (columns[None, :] >= 0) & (rows[:, None] >= 0)
        return np.where(is_known, self.probabilities[indices], 0.0)


def learn(pairs: Sequence[tuple[Words, Words]], *, rounds: int = 5) -> IBM1:
    """Learn from pairs of (source words, target words) by `rounds` rounds of expectation maximisation.

    Raises ValueError where no pair has a target word.
    """
    sources, targets = (
        _vocabulary([pair[0] for pair in pairs], first=1),
        _vocabulary([pair[1] for pair in pairs], first=0),
    )
    if not targets:
        raise ValueError("IBM model 1 learns from pairs of words: these pairs have no target word.")
    pair_keys, row, source_counts = _co_occurrences(pairs, sources, targets)
    keys, link = np.unique(pair_keys, return_inverse=True)
    source = keys // len(targets)
    probabilities = np.full(len(keys), 1 / len(targets))
    likelihoods = []
    for _ in range(rounds):
        pair_probabilities = probabilities[link]
        total = np.bincount(row, weights=pair_probabilities)
        likelihoods.append(float(np.log(total / source_counts).sum()))
        counts = np.bincount(link, weights=pair_probabilities / total[row], minlength=len(keys))
        probabilities = counts / np.bincount(source, weights=counts)[source]
    likelihoods.append(float(np.log(np.bincount(row, weights=probabilities[link]) / source_counts).sum()))
    return IBM1(sources, targets, keys, probabilities, tuple(likelihoods))


def _vocabulary(texts: Sequence[Words], first: int) -> dict[str, int]:
    """A number for each distinct word, in lower case, counted from `first`."""
    return {word: number for number, word in enumerate(dict.fromkeys(w.lower() for t in texts for w in t), start=first)}


def _co_occurrences(
    pairs: Sequence[tuple[Words, Words]], sources: dict[str, int], targets: dict[str, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(keys, rows, counts): every target word paired with NULL and with each word of its source sentence.

    `keys` are those of the word pairs, `rows` the number of the target word of each pair, and `counts` the number of
    pairs of each target word.
    """
    source_words = np.array([n for source, _ in pairs for n in (NULL, *(sources[word.lower()] for word in source))])
    target_words = np.array([targets[word.lower()] for _, target in pairs for word in target], dtype=np.int64)
    widths = np.array([1 + len(source) for source, _ in pairs])
    heights = np.array([len(target) for _, target in pairs])
    source_counts = np.repeat(widths, heights)  # for each target word
    start = np.repeat(np.cumsum(widths) - widths, heights)  # index of the first word of its source in `source_words`
    row = np.repeat(np.arange(len(target_words)), source_counts)
    position = np.arange(len(row)) - np.repeat(np.cumsum(source_counts) - source_counts, source_counts)
    return source_words[start[row] + position] * len(targets) + target_words[row], row, source_counts
