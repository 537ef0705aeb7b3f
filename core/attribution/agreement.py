"""Do two explanations say the same? Ranks compared, all words or the first ones only, beside what chance gives.

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

from .deletion_curves import ordered

FIRST = 0.1  # the share of the words that counts as the first ones
CERTAIN = 0.95  # so much of what chance gives lies within the limits


@dataclass(frozen=True, eq=False)
class Agreement:
    """How alike explanations rank `words` words, each with each; NaN where one gives every word the same."""

    names: tuple[str, ...]
    tau: Float[np.ndarray, "row column"]  # Kendall's tau-b: 1 the same order, 0 as by chance, -1 the other way round
    shared: Float[np.ndarray, "row column"]  # of the `first` words of one, the share that the other has there too
    words: int
    first: int


def agreement(scores: Mapping[str, Float[Tensor, " word"]]) -> Agreement:
    """Compare explanations of the same words; where an explanation ranks several alike, the first are drawn."""
    names, words = tuple(scores), len(next(iter(scores.values())))
    first = first_of(words)
    values = [scores[name].double().numpy() for name in names]
    tops = [set(ordered(scores[name], seed=number)[:first].tolist()) for number, name in enumerate(names)]
    tau, shared = np.eye(len(names)), np.eye(len(names))
    for one in range(len(names)):
        for other in range(one):
            tau[one, other] = tau[other, one] = rank_correlation(values[one], values[other])
            shared[one, other] = shared[other, one] = len(tops[one] & tops[other]) / first
    return Agreement(names, tau, shared, words, first)


def rank_correlation(one: Float[np.ndarray, " word"], other: Float[np.ndarray, " word"]) -> float:
    """Kendall's tau-b (Kendall 1945), in which words that are ranked alike count for neither; NaN for a single word."""
    if len(one) < 2:
        return math.nan
    return float(stats.kendalltau(one, other).statistic)


@dataclass(frozen=True)
class Pairs:
    """Pairs of words as two explanations rank them; `tied_one`: those that only the first ranks alike."""

    concordant: int
    discordant: int
    tied_one: int
    tied_other: int

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """All four."""
        return self.concordant, self.discordant, self.tied_one, self.tied_other

    @property
    def tau(self) -> float | None:
        """Kendall's tau-b; None where one explanation ranks all words alike."""
        ranked = self.concordant + self.discordant
        both = (ranked + self.tied_one) * (ranked + self.tied_other)
        return (self.concordant - self.discordant) / math.sqrt(both) if both else None


def count_pairs(one: Float[Tensor, " word"], other: Float[Tensor, " word"]) -> Pairs:
    """The pairs of words that tau-b counts; those that both rank alike count for nothing."""
    signs = [torch.sign(each[:, None] - each[None]) for each in (one, other)]
    upper = torch.ones(len(one), len(one), dtype=torch.bool).triu(1)
    first, second = (each[upper] for each in signs)
    return Pairs(
        int((first * second > 0).sum()),
        int((first * second < 0).sum()),
        int(((first == 0) & (second != 0)).sum()),
        int(((first != 0) & (second == 0)).sum()),
    )


def first_of(words: int) -> int:
    """How many words are the first ones, at least one."""
    return math.ceil(FIRST * words)


def tau_by_chance(words: int) -> float:
    """In CERTAIN of all cases two orders drawn at random have a tau of no more than this, up or down.

    The normal approximation, sqrt(2 (2n + 5) / (9 n (n - 1))) a standard deviation (Kendall 1938); 1 for one word.
    """
    if words < 2:
        return 1.0
    deviation = math.sqrt(2 * (2 * words + 5) / (9 * words * (words - 1)))
    return min(1.0, float(stats.norm.ppf((1 + CERTAIN) / 2)) * deviation)


def shared_by_chance(words: int) -> tuple[float, float]:
    """The share of first words that two random orders have in common: its mean, and a limit that CERTAIN stay below."""
    first = first_of(words)
    return first / words, float(stats.hypergeom.ppf(CERTAIN, words, first, first)) / first
