"""Agreement of explanations: ranks of all words or overlap of the first ones, compared with chance.

Jain and Wallace 2019, "Attention is not Explanation", section 4.1, compare ranks by Kendall's tau.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from scipy import stats
from torch import Tensor

from .deletion_curves import order_by_score

FIRST = 0.1  # the share of the words that counts as the first ones
CERTAIN = 0.95  # the share of random orders within the limits


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of each pair of explanations of `words` words; NaN where one gives every word the same score."""

    names: tuple[str, ...]
    tau: Float[np.ndarray, "row column"]  # Kendall's tau-b: 1 the same order, 0 as by chance, -1 the other way round
    shared: Float[np.ndarray, "row column"]  # overlap of the `first` words of each two explanations
    words: int
    first: int


def agreement(scores: Mapping[str, Float[Tensor, " word"]]) -> Agreement:
    """Compare explanations of the same words; words with equal scores are ordered at random."""
    names, words = tuple(scores), len(next(iter(scores.values())))
    first = first_count(words)
    values = [scores[name].double().numpy() for name in names]
    top_words = [set(order_by_score(scores[name], seed=number)[:first].tolist()) for number, name in enumerate(names)]
    tau, shared = np.eye(len(names)), np.eye(len(names))
    for row in range(len(names)):
        for column in range(row):
            tau[row, column] = tau[column, row] = rank_correlation(values[row], values[column])
            shared[row, column] = shared[column, row] = len(top_words[row] & top_words[column]) / first
    return Agreement(names, tau, shared, words, first)


def rank_correlation(first: Float[np.ndarray, " word"], second: Float[np.ndarray, " word"]) -> float:
    """Kendall's tau-b (Kendall 1945), which leaves out tied pairs; NaN for a single word."""
    if len(first) < 2:
        return math.nan
    return float(stats.kendalltau(first, second).statistic)


@dataclass(frozen=True)
class Pairs:
    """Counts of pairs of words as two explanations rank them; `tied_in_first`: tied in the first one only."""

    concordant: int
    discordant: int
    tied_in_first: int
    tied_in_second: int

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """All four counts."""
        return self.concordant, self.discordant, self.tied_in_first, self.tied_in_second

    @property
    def tau(self) -> float | None:
        """Kendall's tau-b; None where one explanation gives all words the same score."""
        ranked = self.concordant + self.discordant
        both = (ranked + self.tied_in_first) * (ranked + self.tied_in_second)
        return (self.concordant - self.discordant) / math.sqrt(both) if both else None


def count_pairs(first: Float[Tensor, " word"], second: Float[Tensor, " word"]) -> Pairs:
    """Count the pairs of words for tau-b; those that are tied in both are left out."""
    signs = [torch.sign(scores[:, None] - scores[None]) for scores in (first, second)]
    upper = torch.ones(len(first), len(first), dtype=torch.bool).triu(1)
    first_signs, second_signs = (sign[upper] for sign in signs)
    return Pairs(
        int((first_signs * second_signs > 0).sum()),
        int((first_signs * second_signs < 0).sum()),
        int(((first_signs == 0) & (second_signs != 0)).sum()),
        int(((first_signs != 0) & (second_signs == 0)).sum()),
    )


def first_count(words: int) -> int:
    """The number of words that count as the first ones, at least one."""
    return math.ceil(FIRST * words)


def tau_by_chance(words: int) -> float:
    """The absolute tau that CERTAIN of all pairs of random orders do not exceed.

    The normal approximation, sqrt(2 (2n + 5) / (9 n (n - 1))) a standard deviation (Kendall 1938); 1 for one word.
    """
    if words < 2:
        return 1.0
    deviation = math.sqrt(2 * (2 * words + 5) / (9 * words * (words - 1)))
    return min(1.0, float(stats.norm.ppf((1 + CERTAIN) / 2)) * deviation)


def shared_by_chance(words: int) -> tuple[float, float]:
    """The share of first words that two random orders have in common: its mean, and its CERTAIN quantile."""
    first = first_count(words)
    return first / words, float(stats.hypergeom.ppf(CERTAIN, words, first, first)) / first
