"""The largest of several numbers, up to a margin, and lists of names in sentences."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

Name = TypeVar("Name")


def leading(values: Mapping[Name, float], margin: float, *, least: bool = False) -> list[Name]:
    """The names with the largest value, or the `least`, and those within `margin` of it; NaN is ignored.

    Empty if no value is finite; all names if none stands out.
    """
    finite = {name: value for name, value in values.items() if math.isfinite(value)}
    if not finite:
        return []
    best = (min if least else max)(finite.values())
    return [name for name, value in finite.items() if abs(value - best) <= margin]


def join_names(names: Sequence[str], *, bold: bool = False) -> str:
    """Names as a sentence lists them: "A", "A and B", "A, B and C"; in Markdown, each in bold letters or plain."""
    names = [f"**{name}**" if bold else name for name in names]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
