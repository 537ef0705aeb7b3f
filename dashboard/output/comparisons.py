"""Which of several numbers lead, where a margin says from when on one is more than another."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

Name = TypeVar("Name")


def leading(values: Mapping[Name, float], margin: float, *, least: bool = False) -> list[Name]:
    """The names with the largest value, or the `least`, and those within `margin` of it; NaN takes no part.

    Empty where no value is a number; all names where none stands out.
    """
    known = {name: value for name, value in values.items() if math.isfinite(value)}
    if not known:
        return []
    best = (min if least else max)(known.values())
    return [name for name, value in known.items() if abs(value - best) <= margin]


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them: "A", "A and B", "A, B and C"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
