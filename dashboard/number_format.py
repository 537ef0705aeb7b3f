"""Numbers formatted for sentences and formulas, as books print them."""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

CLEAR = 2  # standard errors by which two measured numbers differ before a sentence calls one of them larger
POINT = 0.01  # shares that differ by no more count as equal if no standard error is known
NOISE = 0.1  # of a measured time: times that differ by less count as equal
READABLE = 10_000_000  # from here on a number is written with a power of ten
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


Comparison = Literal["more", "less", "as much", "unknown"]


def compare(value: float, other: float, *, margin: float = 0.0) -> Comparison:
    """Whether a number is more than another, less, or as much (within `margin`); "unknown" if any is NaN."""
    if math.isnan(value) or math.isnan(other) or math.isnan(margin):
        return "unknown"
    if value == other or abs(value - other) <= margin:
        return "as much"
    return "more" if value > other else "less"


def compare_shares(hits: int, count: int, other_hits: int, other_count: int) -> Comparison:
    """`compare` of two shares, `hits` of `count`, with a margin of CLEAR standard errors of their difference.

    The error is that of two independent samples (pooled); for two answers to the same questions it is an upper bound
    as long as they are positively correlated. "unknown" if a count is 0.
    """
    if not count or not other_count:
        return "unknown"
    pooled = (hits + other_hits) / (count + other_count)
    error = math.sqrt(pooled * (1 - pooled) * (1 / count + 1 / other_count))
    return compare(hits / count, other_hits / other_count, margin=CLEAR * error)


def compare_times(seconds: float, other: float) -> Comparison:
    """`compare` of two measured times, on a scale of ratios: within NOISE they are as much."""
    if not (seconds > 0 and other > 0):
        return "unknown"
    return compare(math.log(seconds), math.log(other), margin=math.log1p(NOISE))


def share_error(share: float, count: int) -> float:
    """The standard error of a share of `count` independent cases; NaN for none."""
    return math.sqrt(share * (1 - share) / count) if count else math.nan


def large(number: int) -> str:
    """A whole number: 65,536, but 1.34 × 10¹¹."""
    return f"{number:,}" if number < READABLE else with_power(number, digits=3)


def with_power(number: float, *, digits: int) -> str:
    """A number with a power of ten, with so many digits: 2 × 10⁻⁹, with no-break spaces."""
    mantissa, power = f"{number:.{digits - 1}e}".replace("-", "−", 1 if number < 0 else 0).split("e")
    return f"{mantissa}\u00a0×\u00a010{str(int(power)).translate(_RAISED)}"


def amount(number: float) -> str:
    """A number with three digits and a prefix: 175 G."""
    for prefix, power in (("T", 12), ("G", 9), ("M", 6), ("k", 3)):
        if number >= 10**power:
            return f"{number / 10**power:.3g} {prefix}"
    return f"{number:.0f} "


def in_latex(value: float) -> str:
    """A number like `large`, in LaTeX: 65{,}536, but 1.34\\cdot 10^{11}."""
    if abs(value) < READABLE:
        is_whole = float(value).is_integer() or abs(value) >= 10_000
        return (f"{value:,.0f}" if is_whole else f"{value:.4g}").replace(",", "{,}")
    power = math.floor(math.log10(abs(value)))
    return rf"{value / 10.0**power:.3g}\cdot 10^{{{power}}}"


def small(value: float) -> str:
    """A number that may be very small: "0", "1.2 × 10⁻⁶", "0.034", "2.71"."""
    if value == 0:
        return "0"
    if abs(value) < 0.001:
        return with_power(value, digits=2)
    return f"{value:.2g}" if abs(value) < 0.1 else signed(value)


def signed(value: float) -> str:
    """A number with two decimals and a true minus; never a minus zero."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def points(change: float) -> str:
    """A change of a share in percentage points, with its sign, a true minus and no minus zero: −5.0 points."""
    return f"{round(100 * change, 1) + 0.0:+.1f} points".replace("-", "−")


def integer(value: int) -> str:
    """A whole number with a true minus."""
    return f"{value}".replace("-", "−")


def span(values: np.ndarray, tell: Callable[[float], str] = "{:.0f}".format) -> str:
    """The range of values without NaN, as "1 to 9"; "no number" if all are NaN."""
    finite = values[~np.isnan(values)]
    return f"{tell(finite.min())} to {tell(finite.max())}" if finite.size else "no number"


def column(*values: float) -> str:
    """A column vector in LaTeX."""
    return square([[value] for value in values])


def square(rows: list[list[float]]) -> str:
    """A matrix in LaTeX."""
    lines = r" \\ ".join(" & ".join(_plain(value) for value in row) for row in rows)
    return rf"\begin{{pmatrix}} {lines} \end{{pmatrix}}"


def _plain(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"
