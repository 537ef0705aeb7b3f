"""The rows of a table that the choices leave, and those of them that have both figures."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.scaling.pareto import pareto_front
from pages.scale.scaling_comparison.choices import Choices
from pages.scale.scaling_comparison.collection import Collection, Measure


@dataclass(frozen=True)
class Shown:
    """`kept`: rows that pass the filters; `placed`: those of them that have a place in the picture."""

    kept: pd.DataFrame
    placed: pd.DataFrame
    front: pd.DataFrame  # the rows of `placed` that are beaten by none, by x; empty where none is drawn
    choices: Choices


def select(collection: Collection, choices: Choices) -> Shown:
    """Apply the choices to the table."""
    kept = filtered(collection, choices)
    has = _has(kept, choices.x, choices.log_x) & _has(kept, choices.y, choices.log_y)
    placed = kept[has]
    front = placed.iloc[:0]
    if choices.front and len(placed) and is_comparable(collection, placed):
        x, y = (placed[measure.column].to_numpy(dtype=float) for measure in (choices.x, choices.y))
        beaten_by_none = pareto_front(x, y, more_x=choices.x.better == "more", more_y=choices.y.better == "more")
        front = placed[beaten_by_none].sort_values(choices.x.column)
    return Shown(kept, placed, front, choices)


def is_comparable(collection: Collection, rows: pd.DataFrame) -> bool:
    """Whether the scores of these rows were reached on the same test."""
    return not collection.apart or rows[collection.apart].nunique() < 2


def filtered(collection: Collection, choices: Choices) -> pd.DataFrame:
    """The rows that pass every filter; all words of the search are in their names, whatever their case."""
    rows = collection.rows
    stays = np.ones(len(rows), dtype=bool)
    if choices.families:
        stays &= rows.family.isin(choices.families).to_numpy()
    for column, values in (choices.only or {}).items():
        if values:
            stays &= rows[column].isin(values).to_numpy()
    if choices.years:
        low, high = choices.years
        stays &= np.floor(rows[collection.years]).between(low, high).to_numpy()
    names = rows.label.str.casefold()
    for word in choices.search.casefold().split():
        stays &= names.str.contains(word, regex=False).to_numpy()
    return rows[stays]


def _has(rows: pd.DataFrame, measure: Measure, log: bool) -> pd.Series:
    """Which rows have a figure that the scale can show."""
    values = rows[measure.column]
    return values > 0 if log else values.notna()
