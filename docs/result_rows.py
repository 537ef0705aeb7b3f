"""Held-out results of models beside their baselines, and how two of them compare."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WEIGHTS = ROOT / "weights"


@dataclass(frozen=True)
class Unit:
    """The format of the values of a quantity, and how they are compared.

    `scale` multiplies a value before it is written with `digits` decimals and `sign` behind it; `difference` is the
    word behind a difference of two values.
    """

    digits: int
    scale: float = 1.0
    sign: str = ""
    difference: str = ""
    lower_is_better: bool = False

    def write(self, value: float) -> str:
        """Format a value for the table."""
        return f"{value * self.scale:,.{self.digits}f}{self.sign}"

    def write_difference(self, value: float) -> str:
        """Format the size of a difference, with its unit."""
        return f"{abs(value) * self.scale:,.{self.digits}f}{self.difference}"


SHARE = Unit(digits=1, scale=100, sign="%", difference=" points")
BITS = Unit(digits=2, difference=" bits", lower_is_better=True)
PERPLEXITY = Unit(digits=1, lower_is_better=True)
BLEU = Unit(digits=1)
ERROR_RATE = Unit(digits=3, lower_is_better=True)
SQUARED_ERROR = Unit(digits=4, lower_is_better=True)
CORRELATION = Unit(digits=3)
DISTANCE = Unit(digits=1, lower_is_better=True)


@dataclass(frozen=True)
class Baseline:
    """A value to compare a result with; `error` is its standard error, 0 where it is unknown or there is none.

    `gap_error` is the standard error of the difference where both were measured on the same questions.
    """

    name: str
    value: float
    error: float = 0.0
    gap_error: float | None = None


@dataclass(frozen=True)
class Result:
    """One held-out figure of a model in a folder of weights/, with its baselines."""

    folder: str
    model: str
    measure: str
    value: float
    unit: Unit
    baselines: tuple[Baseline, ...] = ()
    parameters: int | None = None
    error: float = 0.0


def compare(result: Result, baseline: Baseline) -> str:
    """Whether a result is better or worse than a baseline, and by how much.

    A difference smaller than its standard error, or one that disappears in the digits of the table, is neither.
    """
    unit, gap = result.unit, result.value - baseline.value
    error = math.hypot(result.error, baseline.error) if baseline.gap_error is None else baseline.gap_error
    if unit.write(result.value) == unit.write(baseline.value):
        return "the same"
    if abs(gap) < error:
        return "no clear difference"
    if (gap < 0) == unit.lower_is_better:
        return f"better by {unit.write_difference(gap)}"
    return f"**{'worse' if unit.lower_is_better else 'below'}** by {unit.write_difference(gap)}"


def share(
    folder: str,
    model: str,
    measure: str,
    value: float,
    questions: int,
    baselines: Iterable[tuple[str, float]] = (),
    chance: float | None = None,
    parameters: int | None = None,
) -> Result:
    """An accuracy on `questions` questions, beside baselines on as many questions, and the exact chance level."""
    measured = [Baseline(name, other, share_error(other, questions)) for name, other in baselines]
    chance_baseline = [] if chance is None else [Baseline("chance", chance)]
    error = share_error(value, questions)
    return Result(folder, model, measure, value, SHARE, (*measured, *chance_baseline), parameters, error)


def share_error(value: float, questions: int) -> float:
    """The standard error of a share of `questions` independent questions."""
    return math.sqrt(value * (1 - value) / questions)


def read(folder: str) -> Any:
    """results.json of a folder of weights/, for figures that no module of core.results reads."""
    return json.loads((WEIGHTS / folder / "results.json").read_text(encoding="utf-8"))


def parameters(folder: str, *names: str) -> int:
    """The parameters of a network by results.json of its folder, below `names` where that holds several networks."""
    results = read(folder)
    for name in names:
        results = results[name]
    return results["parameters"]
