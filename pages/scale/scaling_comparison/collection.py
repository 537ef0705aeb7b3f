"""What the explorer shows: a table of published models, and what may stand on its axes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from dashboard.numbers import with_power

Better = Literal["more", "less", ""]
Form = Literal["count", "power", "number", "one", "two", "percent", "year"]


@dataclass(frozen=True)
class Measure:
    """A column of numbers that may stand on an axis."""

    column: str
    title: str
    unit: str = ""
    better: Better = ""
    form: Form = "number"
    log: bool = False  # whether its scale is logarithmic before anybody chooses

    @property
    def axis(self) -> str:
        """What stands at the axis."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def inside(self) -> str:
        """Its title within a sentence: names of things keep their capital letter."""
        first, second = self.title[0], self.title[1:2]
        return self.title if second.isupper() or second == "" else first.lower() + self.title[1:]

    def tell(self, value: float) -> str:
        """A value with the digits that matter, and its unit; a dash where there is none."""
        if value is None or not np.isfinite(value):
            return "—"
        unit = f" {self.unit}" if self.unit else ""
        return f"{_written(value, self.form)}{unit}"


@dataclass(frozen=True)
class Collection:
    """A table to explore.

    `rows` has `label` (its name, once in the table), `family`, `source`, the columns of `measures` (NaN: not
    published), and what `filters` and `details` name. `hues` are the families in the order of the legend.
    """

    name: str  # begins the keys of its widgets and the names of its files
    rows: pd.DataFrame
    measures: tuple[Measure, ...]
    x: str
    y: str
    hues: Mapping[str, str]
    families: str = "Family"
    filters: Mapping[str, str] = field(default_factory=dict)  # column of words -> what the filter is called
    years: str = ""  # the column that a slider of years cuts, if any
    details: Mapping[str, str] = field(default_factory=dict)  # column of words -> what it is called on a card
    own_data: str = ""  # the value of column `data` that means: no more than everybody had
    link: str = ""  # the column with the address of the source, if any
    things: str = "models"
    apart: str = ""  # a column that must be the same for two rows to be compared, such as what they were tested on
    short: str = "label"  # the column with the names that stand beside few marks

    def measure(self, column: str) -> Measure:
        """The measure of a column."""
        return next(measure for measure in self.measures if measure.column == column)


_WORDS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def _written(value: float, form: Form) -> str:
    if form == "year":
        return str(math.floor(value))
    if form == "percent":
        return f"{value:.1%}"
    if form in ("one", "two"):
        return f"{value:,.{1 if form == 'one' else 2}f}".replace("-", "−")
    if form == "power" and value > 0:
        return with_power(value, digits=2)
    if form == "count":
        for size, word in _WORDS:
            if value >= size:
                return f"{value / size:.3g} {word}" if value < 1e15 else with_power(value, digits=2)
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def points(difference: float, digits: int = 1) -> str:
    """A difference with its sign, and a true minus."""
    return f"{difference:+.{digits}f}".replace("-", "−")
