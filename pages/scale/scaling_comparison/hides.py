"""What a picture of published figures hides, said of what is shown: who is missing, who had more data, who measured."""

import numpy as np
import pandas as pd

from pages.scale.scaling_comparison.collection import Collection, Measure
from pages.scale.scaling_comparison.shown import Shown, is_comparable


def sentences(collection: Collection, shown: Shown) -> tuple[str, ...]:
    """As many as apply to what is shown."""
    return tuple(
        sentence
        for part in (_missing, _apart, _extra_data, _teachers, _resolutions, _sources)
        if (sentence := part(collection, shown))
    )


def _missing(collection: Collection, shown: Shown) -> str:
    every, kept, placed = len(collection.rows), len(shown.kept), len(shown.placed)
    parts = [f"**{placed:,} of {every:,}** {collection.things} are shown"]
    if kept < every:
        parts.append(f"{every - kept:,} are filtered out")
    for measure in dict.fromkeys((shown.choices.x, shown.choices.y)):
        if without := int(shown.kept[measure.column].isna().sum()):
            parts.append(f"{_have(without)} no figure for {in_sentence(measure)}")
    if zeros := _zeros(shown):
        parts.append(f"{_have(zeros)} a 0 that a logarithmic scale cannot show")
    return (": ".join((parts[0], ", ".join(parts[1:]))) if parts[1:] else parts[0]) + "."


def _have(count: int) -> str:
    return f"{count:,} {'has' if count == 1 else 'have'}"


def in_sentence(measure: Measure) -> str:
    """A measure's name within a sentence."""
    return f"*{measure.inside}*"


def _zeros(shown: Shown) -> int:
    zero = np.zeros(len(shown.kept), dtype=bool)
    for measure, log in ((shown.choices.x, shown.choices.log_x), (shown.choices.y, shown.choices.log_y)):
        if log:
            zero |= (shown.kept[measure.column] <= 0).to_numpy()
    return int(zero.sum())


def _apart(collection: Collection, shown: Shown) -> str:
    if not shown.choices.front or is_comparable(collection, shown.placed):
        return ""
    tests = shown.placed[collection.apart].nunique()
    return (
        f"**{tests} data sets** in one picture: scores on one say nothing about another, so no Pareto front is drawn."
    )


def _extra_data(collection: Collection, shown: Shown) -> str:
    if not collection.own_data or "data" not in shown.placed:
        return ""
    counted = shown.placed.data.value_counts()
    extra = counted.drop(collection.own_data, errors="ignore")
    if extra.empty:
        return f"None of them learned from more than {collection.own_data}: the data are the same for all."
    if len(extra) == len(counted):
        return f"**All** of them learned from more than {collection.own_data}{_list(extra)}: compare with care."
    return (
        f"**{extra.sum():,} of {counted.sum():,}** learned from more than {collection.own_data}{_list(extra)}: what "
        "looks like a better architecture may be more data."
    )


def _list(counted: pd.Series) -> str:
    """How many had which data, in brackets; nothing where the one name says no more than "more"."""
    if len(counted) == 1 and str(counted.index[0]).startswith("more"):
        return ""
    names = [f"{name} {count:,}" for name, count in counted.items()]
    return f" ({', '.join(names[:4])}{' …' if len(names) > 4 else ''})"


def _teachers(collection: Collection, shown: Shown) -> str:
    del collection
    if "teacher" not in shown.placed or not (taught := int(shown.placed.teacher.sum())):
        return ""
    return f"**{taught:,}** learned from the answers of another model too, and so from that one's data, unseen here."


def _resolutions(collection: Collection, shown: Shown) -> str:
    del collection
    if "resolution" not in shown.placed or shown.placed.empty:
        return ""
    counted = shown.placed.resolution.value_counts()
    most = f"{int(counted.index[0])} × {int(counted.index[0])} pixels"
    if len(counted) == 1:
        return f"All were tested on pictures of {most}."
    low, high = int(counted.index.min()), int(counted.index.max())
    return (
        f"Pictures had **{low} to {high} pixels** on a side, {most} in {counted.iloc[0]:,} of {counted.sum():,} cases: "
        "more pixels cost more operations and usually score higher, with the same parameters."
    )


def _sources(collection: Collection, shown: Shown) -> str:
    del collection
    counted = shown.placed.source.nunique()
    if counted == 0:
        return ""
    if counted == 1:
        return "All figures are taken from one source."
    return f"The figures come from {counted} sources, which need not have measured in the same way."
