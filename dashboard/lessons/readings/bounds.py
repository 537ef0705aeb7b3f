"""Bounds of the arguments of readings: the type of each, and how large it may be.

A lesson may be a visitor's own file, so an argument is anything that can be written in Python: it is checked here
before a model is touched. Arguments of one name mean the same in all readings.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.errors import InputError

MOST_CHARACTERS = 40  # characters of an argument in a sentence


class Bound(Protocol):
    """A condition on an argument; `rule` states it in words, after the argument's name."""

    @property
    def rule(self) -> str:
        """Such as "is a whole number from 1 to 512"."""
        ...

    def holds(self, value: Any) -> bool:
        """Whether the value is allowed."""
        ...


@dataclass(frozen=True)
class WholeNumber:
    """A whole number."""

    least: int
    most: int

    @property
    def rule(self) -> str:
        """In words."""
        return f"is a whole number from {self.least:,} to {self.most:,}"

    def holds(self, value: Any) -> bool:
        """Whether it is one, and within the bounds."""
        return type(value) is int and self.least <= value <= self.most


@dataclass(frozen=True)
class Number:
    """A number, whole or not."""

    least: float
    most: float

    @property
    def rule(self) -> str:
        """In words."""
        return f"is a number from {self.least:,g} to {self.most:,g}"

    def holds(self, value: Any) -> bool:
        """Whether it is one, and within the bounds; NaN is not."""
        return type(value) in (int, float) and self.least <= value <= self.most


@dataclass(frozen=True)
class Text:
    """Some text."""

    most: int
    least: int = 0

    @property
    def rule(self) -> str:
        """In words."""
        return f"is a text of {self.least} to {self.most:,} characters"

    def holds(self, value: Any) -> bool:
        """Whether it is one, and not too long."""
        return type(value) is str and self.least <= len(value) <= self.most


@dataclass(frozen=True)
class Several:
    """A tuple or a list of values that satisfy a bound; `plural` is what `rule` calls them."""

    element: Bound
    plural: str
    most: int

    @property
    def rule(self) -> str:
        """In words."""
        return f"holds 1 to {self.most} {self.plural}, of which every one {self.element.rule}"

    def holds(self, value: Any) -> bool:
        """Whether all of them are allowed, and there are not too many."""
        return isinstance(value, Sequence) and type(value) in (tuple, list) and self._fits(value)

    def _fits(self, values: Sequence[Any]) -> bool:
        return 1 <= len(values) <= self.most and all(self.element.holds(value) for value in values)


_COUNT = WholeNumber(0, 1_000_000_000)  # looked up in a table of measurements: nothing is computed from it
_NAME = Text(96)
BOUNDS: Mapping[str, Bound] = {
    "at": _NAME,
    "book": _NAME,
    "candidates": _NAME,
    "distance": _COUNT,
    "head": WholeNumber(0, 999),
    "heads": WholeNumber(1, 1_000),
    "layer": WholeNumber(-999, 999),
    "layers": WholeNumber(1, 1_000),
    "length": _COUNT,
    "line": Text(500, least=8),
    "model": _NAME,
    "number_format": _NAME,
    "options": Several(Text(200, least=1), "choices", 20),
    "picture": _NAME,
    "pictures": _COUNT,
    "place": WholeNumber(-64, 63),
    "resolution": WholeNumber(32, 384),
    "scene": Text(2_000),
    "scores": Several(Number(-1e6, 1e6), "scores", 64),
    "seed": WholeNumber(0, 1_000_000),
    "share": Number(0.05, 0.95),
    "size": WholeNumber(1, 512),
    "split": _NAME,
    "text": Text(2_000),
    "token": WholeNumber(-2_000, 1_999),
    "tokens": WholeNumber(64, 4_096),
    "vocabulary": WholeNumber(1, 10_000_000),
    "way": _NAME,
    "width": WholeNumber(1, 1_000_000),
    "window": WholeNumber(1, 2_000),
    "word": _NAME,
}


def check(reading: str, arguments: Mapping[str, Any]) -> None:
    """Raise InputError, with the rule and the value, for the first argument that violates its bound."""
    for name, value in arguments.items():
        if not (bound := BOUNDS[name]).holds(value):
            raise InputError(f"In the reading “{reading}” `{name}` {bound.rule}; here it is {_excerpt(value)}.")


def _excerpt(value: Any) -> str:
    """The beginning of an argument as text, without formatting a huge one."""
    if type(value) is int and abs(value) >= 10**MOST_CHARACTERS:
        return f"a number of {math.floor(math.log10(abs(value))) + 1:,} digits"
    if isinstance(value, str | bytes):
        return repr(value) if len(value) <= MOST_CHARACTERS else f"one of {len(value):,} characters"
    if isinstance(value, Sequence | set | frozenset | Mapping):
        return f"a {type(value).__name__} of {len(value):,}"
    return repr(value)[:MOST_CHARACTERS]
