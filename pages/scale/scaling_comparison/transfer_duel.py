"""Two pre-trained models on all data sets that both were tested on: who wins where, and by how much."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from pages.scale.scaling_comparison import compute as kept
from pages.scale.scaling_comparison import words_transfer as said
from pages.scale.scaling_comparison.collection import points
from pages.scale.scaling_comparison.figures_differences import Difference, differences
from pages.scale.scaling_comparison.hues import FAMILY


@dataclass(frozen=True)
class Duel:
    """`rows`: a data set each, with accuracy and deviation of both, their difference and twice its error."""

    own: str
    other: str
    rows: pd.DataFrame
    own_days: float
    other_days: float


def show() -> Duel:
    """Choice of the two, figure and table."""
    models = list(dict.fromkeys(kept.transfer().model))
    with layout.control_bar():
        own = st.selectbox("This model", models, key="duel_own", bind="query-params", width=330)
        other = st.selectbox(
            "against", models, index=models.index(RIVAL), key="duel_other", bind="query-params", width=330
        )
    duel = between(own, other)
    figure = differences(
        [
            Difference(row.dataset, row.difference, row.error, _tell(duel, row))
            for row in duel.rows.itertuples(index=False)
        ],
        look=layout.look(),
        x=said.DUEL_AXIS,
        colours=_colours(duel),
    )
    charts.chart(
        figure,
        name="scaling-duel",
        alt=f"Accuracy of {own} minus that of {other}, in points: "
        + "; ".join(f"{row.dataset} {points(row.difference, 2)}" for row in duel.rows.itertuples()),
        table=duel.rows,
    )
    _numbers(duel)
    return duel


RIVAL = "BiT-L (ResNet152x4)"


def between(own: str, other: str) -> Duel:
    """The two models on the data sets of both; where no deviation is published, the error is not known."""
    table = kept.transfer()
    ours, theirs = (table[table.model == name] for name in (own, other))
    named = ["dataset", "accuracy", "deviation", "source"]
    rows = ours[named].merge(theirs[named], on="dataset", suffixes=("", "_other"))
    rows["difference"] = rows.accuracy - rows.accuracy_other
    rows["error"] = 2 * (rows.deviation**2 + rows.deviation_other**2) ** 0.5
    return Duel(own, other, rows, float(ours.core_days.iloc[0]), float(theirs.core_days.iloc[0]))


def _colours(duel: Duel) -> tuple[str, str]:
    """The families' colours, where the two differ in family; else the same for both."""
    family = kept.transfer().drop_duplicates("model").set_index("model").family
    return FAMILY[family[duel.own]], FAMILY[family[duel.other]]


def _tell(duel: Duel, row) -> str:
    error = f" ± {row.error:.2f}" if row.error == row.error else ", no deviation published"
    return (
        f"{row.dataset}: {duel.own} {row.accuracy:.2f} %, {duel.other} {row.accuracy_other:.2f} %, difference "
        f"{points(row.difference, 2)}{error} points ({row.source})"
    )


def _numbers(duel: Duel) -> None:
    number = st.column_config.NumberColumn(format="%.2f")
    with st.expander("The numbers", expanded=layout.is_presented()):
        st.dataframe(
            duel.rows[
                ["dataset", "accuracy", "deviation", "accuracy_other", "deviation_other", "difference", "source"]
            ],
            hide_index=True,
            width="stretch",
            column_config={
                "dataset": "data set",
                "accuracy": st.column_config.NumberColumn(duel.own, format="%.2f"),
                "deviation": st.column_config.NumberColumn("±", format="%.2f"),
                "accuracy_other": st.column_config.NumberColumn(duel.other, format="%.2f"),
                "deviation_other": st.column_config.NumberColumn("± ", format="%.2f"),
                "difference": number,
            },
        )
        st.caption(said.VARIANTS)
        variants = kept.variants()
        st.dataframe(
            variants,
            hide_index=True,
            width="stretch",
            column_config={"parameters": st.column_config.NumberColumn(format="localized")},
        )
