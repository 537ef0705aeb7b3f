"""What of a table of published figures is shown, and what that picture hides: pure functions of the choices."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from core.scaling.pareto import pareto_front
from dashboard import typeset
from dashboard.number_format import with_power
from dashboard.output.comparisons import join_names
from dashboard.theme import HUES

FAMILIES = {
    "convolutional": HUES[3],
    "transformer": HUES[2],
    "hybrid": HUES[5],
    "mixer": HUES[4],
    "recurrent": HUES[0],
    "other": "#8a8f98",
}
NOT_STATED = "not stated"  # in a column of data
LONGEST_BRACKET = 20  # letters: a longer explanation in brackets is left out beside a mark


@dataclass(frozen=True)
class Measure:
    """A column of numbers that may stand on an axis."""

    column: str
    title: str
    unit: str = ""
    better: Literal["more", "less", ""] = ""
    form: Literal["count", "power", "number", "one", "two", "year"] = "number"
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
        space = "" if self.unit == "%" else " "
        return f"{_written(value, self.form)}{space}{self.unit}".rstrip()


@dataclass(frozen=True)
class Table:
    """A table to explore.

    `rows` has `label` (its name, once in the table), `family`, `source`, `note` (what is to be known of its figures, or
    ""), the columns of `measures` (NaN: not published), and what `filters` and `details` name. `hues` are the families
    in the order of the legend.
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


@dataclass(frozen=True)
class Choices:
    """The axes with their scales, and the filters: empty ones let everything through."""

    x: Measure
    y: Measure
    log_x: bool = False
    log_y: bool = False
    families: tuple[str, ...] = ()
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column of words -> the values that stay
    years: tuple[int, int] | None = None
    search: str = ""
    front: bool = True


@dataclass(frozen=True)
class Selection:
    """`matches`: rows that pass the filters; `placed`: those of them that have a place in the picture."""

    matches: pd.DataFrame
    placed: pd.DataFrame
    front: pd.DataFrame  # the rows of `placed` that are beaten by none, by x; empty where no front is drawn
    choices: Choices


def select(table: Table, choices: Choices) -> Selection:
    """Apply the choices to the table."""
    matches = _filtered(table, choices)
    has = _has(matches, choices.x, choices.log_x) & _has(matches, choices.y, choices.log_y)
    placed = matches[has]
    front = placed.iloc[:0]
    if choices.front and len(placed) and is_comparable(table, placed):
        x, y = (placed[measure.column].to_numpy(dtype=float) for measure in (choices.x, choices.y))
        beaten_by_none = pareto_front(x, y, more_x=choices.x.better == "more", more_y=choices.y.better == "more")
        front = placed[beaten_by_none].sort_values(choices.x.column)
    return Selection(matches, placed, front, choices)


def _filtered(table: Table, choices: Choices) -> pd.DataFrame:
    """The rows that pass every filter; all words of the search are in their names, whatever their case."""
    rows = table.rows
    stays = np.ones(len(rows), dtype=bool)
    if choices.families:
        stays &= rows.family.isin(choices.families).to_numpy()
    for column, values in choices.only.items():
        if values:
            stays &= rows[column].isin(values).to_numpy()
    if choices.years:
        stays &= np.floor(rows[table.years]).between(*choices.years).to_numpy()
    names = rows.label.str.casefold()
    for word in choices.search.casefold().split():
        stays &= names.str.contains(word, regex=False).to_numpy()
    return rows[stays]


def _has(rows: pd.DataFrame, measure: Measure, log: bool) -> pd.Series:
    """Which rows have a figure that the scale can show."""
    values = rows[measure.column]
    return values > 0 if log else values.notna()


def is_comparable(table: Table, rows: pd.DataFrame) -> bool:
    """Whether the scores of these rows were reached on the same test."""
    return not table.apart or rows[table.apart].nunique() < 2


def hidden_by(table: Table, selection: Selection) -> tuple[str, ...]:
    """What the picture hides, as far as it applies: who is missing, who had more data or a teacher, who measured."""
    placed, sentences = selection.placed, [_missing(table, selection)]
    if selection.choices.front and not is_comparable(table, placed):
        tests = placed[table.apart].nunique()
        sentences.append(
            f"The figure shows **{tests} data sets**. Their scores cannot be compared, so no Pareto front is drawn."
        )
    if table.own_data:
        sentences.append(_extra_data(table.own_data, placed.data.value_counts()))
    if "teacher" in placed and (taught := int(placed.teacher.sum())):
        sentences.append(
            f"**{taught:,}** also learned from another model's predictions, and so from its data, not shown here."
        )
    if "resolution" in placed:
        sentences.append(_resolutions(placed.resolution.value_counts()))
    sources = placed.source.nunique()
    return (
        *sentences,
        "All figures are taken from one source."
        if sources == 1
        else f"The figures come from {sources} sources, which need not have measured in the same way.",
    )


def _missing(table: Table, selection: Selection) -> str:
    every, matches, of = len(table.rows), selection.matches, selection.choices
    parts = [f"{every - len(matches):,} are filtered out"] if len(matches) < every else []
    empty = {measure: matches[measure.column].isna() for measure in (of.x, of.y)}
    parts += [
        f"{_have(count)} no figure for *{measure.inside}*"
        for measure, nothing in empty.items()
        if (count := int(nothing.sum()))
    ]
    if of.x != of.y and (count := int((empty[of.x] & empty[of.y]).sum())):
        parts.append(f"{_have(count)} neither")
    zero = [matches[measure.column] <= 0 for measure, log in ((of.x, of.log_x), (of.y, of.log_y)) if log]
    if zero and (count := int(np.any(zero, axis=0).sum())):
        parts.append(f"{_have(count)} a 0 that a logarithmic scale cannot show")
    first = f"**{len(selection.placed):,} of {every:,}** {table.things} are shown"
    return f"{first}: {', '.join(parts)}." if parts else f"{first}."


def _have(count: int) -> str:
    return f"{count:,} {'has' if count == 1 else 'have'}"


def _extra_data(own: str, counted: pd.Series) -> str:
    extra = counted.drop([own, NOT_STATED], errors="ignore")
    unknown = f" (of {counted[NOT_STATED]:,} it is not stated)" if NOT_STATED in counted else ""
    if extra.empty:
        return f"None of them is known to have learned from more than {own}{unknown}."
    names = [f"{name} {count:,}" for name, count in extra.items()]
    # Nothing in brackets where the one name says no more than "more".
    breakdown = f" ({', '.join(names[:4])}{' …' if len(names) > 4 else ''})"
    breakdown = "" if len(extra) == 1 and str(extra.index[0]).startswith("more") else breakdown
    if extra.sum() == counted.sum():
        return f"**All** of them learned from more than {own}{breakdown}: compare with care."
    return (
        f"**{extra.sum():,} of {counted.sum():,}** learned from more than {own}{breakdown}{unknown}: what looks like a "
        "better architecture may be more data."
    )


def _resolutions(counted: pd.Series) -> str:
    most = f"{int(counted.index[0])} × {int(counted.index[0])} pixels"
    if len(counted) == 1:
        return f"All were tested on pictures of {most}."
    return (
        f"Pictures had **{int(counted.index.min())} to {int(counted.index.max())} pixels** on a side, {most} in "
        f"{counted.iloc[0]:,} of {counted.sum():,} cases: more pixels cost more operations with the same parameters."
    )


def with_most(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows that have the highest value of a column: several where they are equal."""
    return rows[rows[column] == rows[column].max()]


def named(rows: pd.DataFrame, column: str = "label") -> str:
    """The names of rows in a sentence, in bold; of more than three the rest is counted."""
    names = [f"**{typeset.plain(str(name))}**" for name in rows[column]]
    return join_names(names if len(names) < 4 else [*names[:2], f"{len(names) - 2} more"])


def short_name(label: str) -> str:
    """A name that fits beside its mark: without authors or a long explanation in brackets."""
    name, _, bracket = label.partition(" (")
    return name if "et al." in bracket or len(bracket) > LONGEST_BRACKET else label


def difference(value: float, digits: int = 1) -> str:
    """A difference with its sign, and a true minus; none where it is rounded to 0."""
    return f"{value:+.{digits}f}".replace("-", "−") if round(value, digits) else f"{0:.{digits}f}"


def best_shown(selection: Selection) -> str:
    """Who has the best figure up, and what it has across; "" where better is not defined for it."""
    x, y = selection.choices.x, selection.choices.y
    if not y.better:
        return ""
    values = selection.placed[y.column]
    best = selection.placed[values == (values.min() if y.better == "less" else values.max())]
    also = f"; {x.inside}: {x.tell(best[x.column].iloc[0])}" if len(best) == 1 and x != y else ""
    families = "/".join(dict.fromkeys(best.family))
    has = "has" if len(best) == 1 else "have"
    figure = y.tell(best[y.column].iloc[0])
    return f"{named(best)} ({families}) {has} the best *{y.inside}* of those shown: {figure}{also}."


def front_shown(selection: Selection) -> str:
    """How many stand on the Pareto front, of which families, and of which none does; up to four by name."""
    if len(selection.front) < 2:
        return ""
    counted, every = selection.front.family.value_counts(), selection.placed.family.value_counts()
    by_family = ", ".join(f"{count} of {every[name]:,} {name}" for name, count in counted.items())
    without = [name for name in every.index if name not in counted.index]
    none = f"; no {' and no '.join(without)} model is on it" if without else ""
    names = f" ({named(selection.front)})" if len(selection.front) < 4 else ""
    return f"**{len(selection.front)} of {len(selection.placed):,}** are on the Pareto front{names}: {by_family}{none}."


_WORDS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def _written(value: float, form: str) -> str:
    if form == "year":
        return str(math.floor(value))
    if form in ("one", "two"):
        return f"{value:,.{1 if form == 'one' else 2}f}".replace("-", "−")
    if (form == "power" and value > 0) or (form == "count" and value >= 1e15):
        return with_power(value, digits=2)
    if form == "count":
        for size, word in _WORDS:
            if value >= size:
                return f"{value / size:.3g} {word}"
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
