"""What a reading answers with: one of several choices, each with its number, or an amount."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import torch
from jaxtyping import Float
from torch import Tensor

from core.errors import InputError

ANSWER = "answer"  # the name of the answer itself in the text of a station
QUARTERS = ("upper left", "upper right", "lower left", "lower right")


class Answer(Protocol):
    """The right answer in words, and how a guess compares with it."""

    @property
    def best(self) -> str:
        """The right answer, as a lesson writes it."""
        ...

    def says(self, guess: str) -> bool:
        """Whether a guess is right."""
        ...

    @property
    def words(self) -> Mapping[str, str]:
        """What the text of a station may name: "answer", and all that was measured with it, by its name."""
        ...


@dataclass(frozen=True)
class Choice:
    """What the model says of each choice; the answer is the one with the largest value, or with the `least`.

    `unit`: "%" for shares, else what stands behind a number. `beside`: what was measured with it, in words, by name.
    """

    values: Mapping[str, float]
    unit: str = "%"
    least: bool = False
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str:
        """The choice that the model gives most, or least."""
        return (min if self.least else max)(self.values, key=self.values.__getitem__)

    def says(self, guess: str) -> bool:
        """Whether this is the choice; one of equal value counts."""
        return self.values.get(guess) == self.values[self.best]

    def told(self, value: float) -> str:
        """A value with its unit."""
        return f"{value:.1%}" if self.unit == "%" else f"{value:,.3g} {self.unit}".strip()

    @property
    def words(self) -> Mapping[str, str]:
        """The answer, the value of each choice by its name, and what was measured beside them."""
        return {**{name: self.told(value) for name, value in self.values.items()}, **self.beside, ANSWER: self.best}

    def among(self, options: Sequence[str]) -> "Choice":
        """Only these choices, in this order; InputError for one of which the model says nothing.

        The values of the others can still be named in the text of the station.
        """
        if unknown := [option for option in options if option not in self.values]:
            raise InputError(
                f"The model says nothing of “{unknown[0][:40]}”; it does of {', '.join(self.values)[:300]}."
            )
        others = {name: self.told(value) for name, value in self.values.items() if name not in options}
        return replace(
            self, values={option: self.values[option] for option in options}, beside={**others, **self.beside}
        )


@dataclass(frozen=True)
class Amount:
    """A number, told with so many `digits` after the point; a guess is right within `within` of it, as a share.

    `beside`: what was measured with it, in words, by name.
    """

    value: float
    unit: str = ""
    digits: int = 0
    within: float = 0.1
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str:
        """The number as it is told, without its unit."""
        return f"{self.value:,.{self.digits}f}"

    @property
    def words(self) -> Mapping[str, str]:
        """The answer, and what was measured beside it."""
        return {**self.beside, ANSWER: self.told()}

    def says(self, guess: str) -> bool:
        """Whether a guess is near enough."""
        try:
            given = float(guess.replace(",", ""))
        except ValueError:
            return False
        return abs(given - self.value) <= max(self.within * abs(self.value), 0.5 * 10**-self.digits)

    def told(self) -> str:
        """The number with its unit."""
        return f"{self.best}{'' if self.unit == '%' else ' '}{self.unit}".strip()


def percent(share: float) -> str:
    """A share as a station's text names it."""
    return f"{share:.0%}" if share >= 0.095 or not share else f"{share:.1%}"


def told_apart(labels: Iterable[str]) -> list[str]:
    """Labels without the spaces around them; of equal ones the later ones have their number: “the (2)”."""
    seen: Counter[str] = Counter()
    named = []
    for label in (label.strip() for label in labels):
        seen[label] += 1
        named.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return named


def quarters(weights: Float[Tensor, "row column"]) -> Choice:
    """The shares of the four quarters; a middle row or column belongs to both sides, half to each."""
    down, across = (_halves(count) for count in weights.shape)
    shares = down @ (weights / weights.sum()) @ across.T
    return Choice(dict(zip(QUARTERS, shares.flatten().tolist(), strict=True)))


def _halves(count: int) -> Float[Tensor, "half place"]:
    """Which half each of some places belongs to; the middle one of an odd number to both."""
    second = ((torch.arange(count) - (count - 1) / 2).sign() + 1) / 2
    return torch.stack([1 - second, second])
