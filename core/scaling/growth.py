"""Exponential growth: a straight line through the logarithm, by least squares, with its interval."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats


@dataclass(frozen=True)
class Growth:
    """log10(value) = level + rate (year - centre).

    `rate` in powers of ten a year, `error` its standard error; `scatter` is the standard deviation around the line,
    `count` how many points it goes through, `spread` the sum of squared distances of their years from `centre`.
    """

    level: float
    rate: float
    error: float
    scatter: float
    centre: float
    spread: float
    count: int

    @property
    def interval(self) -> tuple[float, float]:
        """The rate's 95 % interval (Student's t)."""
        wide = _t(self.count) * self.error
        return self.rate - wide, self.rate + wide

    @property
    def doubling(self) -> float:
        """The doubling time in years; negative for a decline."""
        return math.log10(2) / self.rate

    @property
    def doubling_interval(self) -> tuple[float, float] | None:
        """The doubling times at the two ends of the rate's interval, shortest first; None if it contains 0."""
        low, high = self.interval
        if low <= 0 <= high:
            return None
        return math.log10(2) / high, math.log10(2) / low

    def line(self, years: Float[np.ndarray, "point"]) -> Float[np.ndarray, "point"]:
        """The fitted value at each year."""
        return 10 ** (self.level + self.rate * (years - self.centre))

    def band(self, years: Float[np.ndarray, "point"]) -> tuple[Float[np.ndarray, "point"], Float[np.ndarray, "point"]]:
        """The 95 % interval of the line itself (not of a new point) at each year: low and high."""
        error = self.scatter * np.sqrt(1 / self.count + (years - self.centre) ** 2 / self.spread)
        fitted, wide = self.level + self.rate * (years - self.centre), _t(self.count) * error
        return 10 ** (fitted - wide), 10 ** (fitted + wide)


def fit_growth(years: Float[np.ndarray, "point"], values: Float[np.ndarray, "point"]) -> Growth:
    """The line through log10 of `values` (above 0); ValueError for fewer than three points, or one year only."""
    centre = float(years.mean()) if len(years) else 0.0
    spread = float(((years - centre) ** 2).sum())
    if len(years) < 3 or spread == 0:
        raise ValueError(f"A line with its interval needs three points of two years at least, not {len(years)}.")
    logs = np.log10(values)
    level = float(logs.mean())
    rate = float(((years - centre) * (logs - level)).sum() / spread)
    residuals = logs - level - rate * (years - centre)
    scatter = math.sqrt(float((residuals**2).sum()) / (len(years) - 2))
    return Growth(level, rate, scatter / math.sqrt(spread), scatter, centre, spread, len(years))


def _t(count: int) -> float:
    """Half the width of a 95 % interval in standard errors (Student's t)."""
    return float(stats.t.ppf(0.975, count - 2))
