"""Two pre-trained models on all data sets that both were tested on: who wins where, by how much, at what price."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core import published
from dashboard import theme, typeset
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output.comparisons import join_names
from dashboard.output.data_table import data_table
from pages.scale.scaling_comparison import compute
from pages.scale.scaling_comparison.explorer import Part
from pages.scale.scaling_comparison.figures_bars import differences
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import FAMILIES, difference

SECTION = PAGE.section("Pre-training")
RIVAL = "BiT-L (ResNet152x4)"
MODEL = 300  # pixels: the longest name of a model
RUNS = 3  # of the tuning, behind each published mean and standard deviation


def show(part: Part) -> None:
    """Choice of the two, figure, table and notes."""
    table = compute.transfer()
    models = list(dict.fromkeys(table.model))
    with part.bar:
        own = st.selectbox("This model", models, key="duel_own", bind="query-params", width=MODEL)
        other = st.selectbox(
            "Compared with", models, index=models.index(RIVAL), key="duel_other", bind="query-params", width=MODEL
        )
    rows = between(table, own, other)
    family = table.drop_duplicates("model").set_index("model").family
    figure = partial(
        differences,
        rows.dataset.tolist(),
        rows.difference.to_numpy(),
        2 * rows.error.to_numpy(),
        [_tell(own, other, row) for row in rows.itertuples()],
        look=theme.look(),
        x="points ahead (right) or behind (left)",
        colours=(FAMILIES[family[own]], FAMILIES[family[other]]),
    )
    charts.chart(
        figure,
        name="scaling-duel",
        alt=f"Accuracy of {own} minus that of {other}, in points: "
        + "; ".join(f"{row.dataset} {difference(row.difference, 2)}" for row in rows.itertuples()),
        table=rows,
    )
    layout.place_notice()
    part.introduce()
    _numbers(own, other, rows)
    layout.notes(SECTION, notice=notice(own, other, rows), formula=lambda: formula(rows))


def between(table: pd.DataFrame, own: str, other: str) -> pd.DataFrame:
    """A row for each data set of both: what is published of the two, their difference and its standard error.

    The published deviations are those of single runs, the accuracies means of RUNS: a mean is off by s / sqrt(RUNS).
    Where a deviation is not published, the error is not known.
    """
    ours, theirs = (table[table.model == name] for name in (own, other))
    columns = ["dataset", "accuracy", "deviation", "core_days", "source", *(["note"] if table.note.any() else [])]
    rows = ours[columns].merge(theirs[columns], on="dataset", suffixes=("", "_other"))
    return rows.assign(
        difference=(rows.accuracy - rows.accuracy_other).round(6),
        error=np.sqrt((rows.deviation**2 + rows.deviation_other**2) / RUNS),
    )


def _tell(own: str, other: str, row) -> str:
    error = f" ± {2 * row.error:.2f}" if row.error == row.error else ", no deviation published"
    return (
        f"{row.dataset}: {own} {row.accuracy:.2f}%, {other} {row.accuracy_other:.2f}%, difference "
        f"{difference(row.difference, 2)}{error} points ({row.source})"
    )


def _numbers(own: str, other: str, rows: pd.DataFrame) -> None:
    number = st.column_config.NumberColumn
    with st.expander("The numbers", expanded=theme.is_presented()):
        data_table(
            rows.drop(columns=["core_days", "core_days_other", "source_other", "error"]),
            hide_index=True,
            width="stretch",
            column_config={
                "dataset": "data set",
                "accuracy": number(own, format="%.2f"),
                "deviation": number("±", format="%.2f"),
                "accuracy_other": number(other, format="%.2f"),
                "deviation_other": number("± ", format="%.2f"),
                "difference": number(format="%.2f"),
            },
        )
        layout.caption(SECTION.text("Sizes of vision transformers"))
        data_table(
            pd.DataFrame(map(vars, published.vit_variants())),
            hide_index=True,
            width="stretch",
            column_config={"parameters": number(format="localized")},
        )


def notice(own: str, other: str, rows: pd.DataFrame) -> tuple[str, ...]:
    """Who wins where, how much of it chance may do, and at what price; `rows` are those `between` the two."""
    if own == other:
        return (SECTION.text("A model against itself"),)
    won, lost, even = (rows.dataset[mask] for mask in (rows.difference > 0, rows.difference < 0, rows.difference == 0))
    sentences = [
        f"**{typeset.plain(own)}** is ahead on **{len(won)} of {len(rows)}** data sets"
        + (f", behind on {', '.join(lost)}" if len(lost) else "")
        + (f", equal on {', '.join(even)}." if len(even) else ".")
    ]
    if len(even) < len(rows):
        widest = rows[rows.difference.abs() == rows.difference.abs().max()]
        gaps = (f"{typeset.plain(row.dataset)} ({difference(row.difference, 2)} points)" for row in widest.itertuples())
        sentences.append(f"The largest difference is on {join_names(list(gaps))}.")
    known = rows[rows.error.notna()]
    if len(known):
        clear = int((known.difference.abs() > 2 * known.error).sum())
        sentences.append(
            f"Of the {len(known)} with published deviations of both, **{clear}** differ by more than twice the "
            f"standard error of their difference{'; the rest may be chance.' if clear < len(known) else '.'}"
        )
    days, rival = rows.core_days.iloc[0], rows.core_days_other.iloc[0]
    sentence = f"Pre-training took {days:,.0f} core-days of TPUv3 against {rival:,.0f}"
    dearer = "the rival" if rival > days else "the first"
    times = f": {dearer} cost **{max(days, rival) / min(days, rival):.1f} times as much**" if days != rival else ""
    return (*sentences, f"{sentence}{times}.")


def formula(rows: pd.DataFrame) -> None:
    """The difference and its error, with the numbers of the first data set that has both deviations."""
    st.markdown(SECTION.text("Difference of two models", runs=RUNS))
    for row in rows[rows.error.notna()].head(1).itertuples():
        example = SECTION.text(
            "Difference on one data set",
            dataset=typeset.plain(row.dataset),
            own=row.accuracy,
            other=row.accuracy_other,
            difference=row.difference,
            own_deviation=row.deviation,
            other_deviation=row.deviation_other,
            runs=RUNS,
            error=2 * row.error,
        )
        st.markdown(example)
