"""Deletion and insertion curves, and the orders of the parts (patches or words) that they follow.

Petsiuk, Das and Saenko 2018, "RISE", section 4.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Faithfulness:
    """The probability of a class as parts are deleted or inserted, share by share, the most important first."""

    shares: Float[Tensor, " share"]  # from 0 to 1
    deletion: Float[Tensor, " share"]
    insertion: Float[Tensor, " share"]

    @property
    def deletion_area(self) -> float:
        """Area under the deletion curve, by the trapezoid rule: the smaller, the more faithful."""
        return torch.trapezoid(self.deletion, self.shares).item()

    @property
    def insertion_area(self) -> float:
        """Area under the insertion curve: the larger, the more faithful."""
        return torch.trapezoid(self.insertion, self.shares).item()


Curves = TypeVar("Curves", bound=Faithfulness)


def counts_of(parts: int, steps: int) -> list[int]:
    """How many parts each point of a curve stands for, from none to all; never more points than parts."""
    steps = min(steps, parts)
    return [round(parts * step / steps) for step in range(steps + 1)]


def order_by_score(scores: Float[Tensor, " point"], *, seed: int = 0) -> Int[Tensor, " point"]:
    """The parts from the most to the least important; equal ones in a random order."""
    shuffled = torch.randperm(len(scores), generator=torch.Generator().manual_seed(seed))
    return shuffled[scores[shuffled].argsort(descending=True, stable=True)]


def ranks_in(order: Int[Tensor, " point"]) -> Int[Tensor, " point"]:
    """The rank of each part in an order, 0 for the first."""
    ranks = torch.empty_like(order)
    ranks[order] = torch.arange(len(order))
    return ranks


def random_orders(parts: int, draws: int, *, seed: int = 0) -> list[Int[Tensor, " point"]]:
    """Random orders of the parts, the baseline of an explanation."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randperm(parts, generator=generator) for _ in range(draws)]


def random_mean(draws: Sequence[Curves]) -> Curves:
    """The mean of several curves over the same shares."""
    return replace(
        draws[0],
        deletion=torch.stack([draw.deletion for draw in draws]).mean(dim=0),
        insertion=torch.stack([draw.insertion for draw in draws]).mean(dim=0),
    )
