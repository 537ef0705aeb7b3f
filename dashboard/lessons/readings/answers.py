"""The answers of readings: one of several choices with their values, or an amount."""

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
    """The right answer as text, with a check of guesses."""

    @property
    def best(self) -> str:
        """The right answer, as a lesson writes it."""
        ...

    def is_right(self, guess: str) -> bool:
        """Whether a guess is right."""
        ...

    @property
    def words(self) -> Mapping[str, str]:
        """The values that the text of a station may name: "answer", and all that was measured with it, by name."""
        ...


@dataclass(frozen=True)
class Choice:
    """The model's value for each choice; the answer is the choice with the largest value, or with the `least`.

    `unit`: "%" for shares, else the unit behind a number. `extra`: further measured values as text, by name.
    """

    values: Mapping[str, float]
    unit: str = "%"
    least: bool = False
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str:
        """The choice with the largest value, or with the smallest one if `least`."""
        return (min if self.least else max)(self.values, key=self.values.__getitem__)

    def is_right(self, guess: str) -> bool:
        """Whether a guess is the best choice or one of equal value."""
        return self.values.get(guess) == self.values[self.best]

    def with_unit(self, value: float) -> str:
        """A value with its unit."""
        return f"{value:.1%}" if self.unit == "%" else f"{value:,.3g} {self.unit}".strip()

    @property
    def words(self) -> Mapping[str, str]:
        """The answer, the value of each choice by its name, and the further values."""
        return {
            **{name: self.with_unit(value) for name, value in self.values.items()},
            **self.extra,
            ANSWER: self.best,
        }

    def among(self, options: Sequence[str]) -> "Choice":
        """Only these choices, in this order; InputError for one that has no value.

        The values of the others can still be named in the text of the station.
        """
        if unknown := [option for option in options if option not in self.values]:
            raise InputError(
                f"The model says nothing of “{unknown[0][:40]}”; it does of {', '.join(self.values)[:300]}."
            )
        others = {name: self.with_unit(value) for name, value in self.values.items() if name not in options}
        return replace(self, values={option: self.values[option] for option in options}, extra={**others, **self.extra})


@dataclass(frozen=True)
class Amount:
    """A number, written with `digits` after the point; a guess is right within `within` of it, as a share.

    `extra`: further measured values as text, by name.
    """

    value: float
    unit: str = ""
    digits: int = 0
    within: float = 0.1
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str:
        """The number as text, without its unit."""
        return f"{self.value:,.{self.digits}f}"

    @property
    def words(self) -> Mapping[str, str]:
        """The answer, and the further values."""
        return {**self.extra, ANSWER: self.with_unit()}

    def is_right(self, guess: str) -> bool:
        """Whether a guess is near enough."""
        try:
            number = float(guess.replace(",", ""))
        except ValueError:
            return False
        return abs(number - self.value) <= max(self.within * abs(self.value), 0.5 * 10**-self.digits)

    def with_unit(self) -> str:
        """The number with its unit."""
        return f"{self.best}{'' if self.unit == '%' else ' '}{self.unit}".strip()


def percent(share: float) -> str:
    """A share as a station's text names it."""
    return f"{share:.0%}" if share >= 0.095 or not share else f"{share:.1%}"


def unique_labels(labels: Iterable[str]) -> list[str]:
    """Labels stripped of spaces; repeated ones are numbered from the second on: “the (2)”."""
    counts: Counter[str] = Counter()
    unique = []
    for label in (label.strip() for label in labels):
        counts[label] += 1
        unique.append(label if counts[label] == 1 else f"{label} ({counts[label]})")
    return unique


def quarters(weights: Float[Tensor, "row column"]) -> Choice:
    """The shares of the four quarters; a middle row or column belongs to both sides, half to each."""
    down, across = (_halves(count) for count in weights.shape)
    shares = down @ (weights / weights.sum()) @ across.T
    return Choice(dict(zip(QUARTERS, shares.flatten().tolist(), strict=True)))


def _halves(count: int) -> Float[Tensor, "half place"]:
    """Membership of each place in the two halves: 0 or 1, and 0.5 in both for the middle one of an odd number."""
    second = ((torch.arange(count) - (count - 1) / 2).sign() + 1) / 2
    return torch.stack([1 - second, second])
