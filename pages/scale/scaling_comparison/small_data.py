"""Small data: our own trainings on CIFAR-10, beside a lecture's."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.published import small_data_results
from core.results import small_data_runs
from dashboard import theme, typeset
from dashboard.figures.curves import curves
from dashboard.figures.scatter import Axis, scatter
from dashboard.frame import layout
from dashboard.number_format import CLEAR, compare
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES, Look
from pages.scale.scaling_comparison.prose import PAGE

SECTION = PAGE.section("Small data")
FAMILIES = {"convolutional": HUES[1], "transformer": HUES[0]}
DASHES = ("solid", "dash", "dot", "dashdot")
TESTED = 10_000  # pictures of CIFAR-10
TITLES = {
    "params": "parameters",
    "learning_rate": "learning rate",
    "accuracy_percent": "accuracy, %",
    "accuracy": "accuracy, %",
}


def show() -> None:
    """The two figures and the table."""
    runs, lecture = table_of(small_data_runs()), table_of(small_data_results())
    _figures(runs, lecture)
    layout.place_notice()
    layout.prose(SECTION.text("Two kinds of network"))
    _table(runs)
    best = max(_named(runs), key=lambda row: row.reached)
    numbers = {"model": best.model, "share": best.reached / 100, "error": standard_error(best.reached)}
    layout.notes(SECTION, notice=notice(runs), numbers=numbers)


def table_of(results: Iterable[Any]) -> pd.DataFrame:
    """A row for each training, ours or the lecture's, by rising size: model, family, parameters, accuracy, ..."""
    rows = pd.DataFrame([{"note": "", **vars(result)} for result in results]).rename(columns=TITLES)
    return rows.sort_values(["parameters", *(["pictures"] if "pictures" in rows else [])], ignore_index=True)


def _figures(runs: pd.DataFrame, lecture: pd.DataFrame) -> None:
    height = 560 if theme.is_presented() else 420
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("How much data does a transformer need to catch up?", anchor=False)
        descriptions = (f"{row.model} {row.reached:.0f}% of {row.pictures:,}" for row in _named(runs))
        charts.chart(
            against_pictures(runs, look=theme.look(), height=height),
            name="small-data-pictures",
            alt="Accuracy against the pictures to learn from: " + "; ".join(descriptions),
            table=runs[["model", "family", "pictures", "accuracy, %"]],
        )
    full_data = runs[runs.pictures == runs.pictures.max()]
    with right:
        st.subheader("Does size help?", anchor=False)
        charts.chart(
            against_size(full_data, lecture, look=theme.look(), height=height),
            name="small-data-size",
            alt=f"Accuracy with all {runs.pictures.max():,} pictures against parameters, ours and a lecture's.",
            table=lecture[["model", "family", "parameters", "accuracy, %", "epochs", "source", "note"]],
        )
        layout.caption(SECTION.text("A lecture's trainings"))


def _named(rows: pd.DataFrame) -> Iterable[Any]:
    return rows.rename(columns={"accuracy, %": "reached"}).itertuples()


def against_pictures(runs: pd.DataFrame, *, look: Look, height: int) -> go.Figure:
    """A line for each network: the hue says its family, the dashes which of them it is."""
    wide = runs.pivot(index="pictures", columns="model", values="accuracy, %")[runs.model.unique()]
    family = runs.drop_duplicates("model").set_index("model").family
    figure = curves(
        wide.index.to_list(),
        {model: wide[model].to_numpy() for model in wide},
        look=look,
        x="pictures to learn from",
        y="accuracy, %",
        tell="%{fullData.name}, %{x:,} pictures: %{y:.1f}%",
        hues={model: FAMILIES[family[model]] for model in wide},
        marks=True,
        x_log=True,
        labels=[f"{pictures:,}" for pictures in wide.index],
        height=height,
    )
    for trace, number in zip(figure.data, family.groupby(family, sort=False).cumcount(), strict=True):
        trace.update(line_dash=DASHES[number % len(DASHES)], marker_size=8, connectgaps=True)
    return figure


def against_size(ours: pd.DataFrame, lecture: pd.DataFrame, *, look: Look, height: int) -> go.Figure:
    """All of the data: our networks as filled marks, those of the lecture as hollow ones."""
    both = pd.concat([ours.assign(whose="ours"), lecture.assign(whose="lecture")], ignore_index=True)
    points = pd.DataFrame(
        {
            "x": both.parameters,
            "y": both["accuracy, %"],
            "family": both.family + ", " + both.whose,
            "label": both.model,
            "short": both.model,
            "tell": [
                "\n".join(
                    (
                        f"{row.parameters:,.0f} parameters, {row.reached:.1f}%",
                        *(("ours",) if row.whose == "ours" else (f"{row.epochs} epochs", row.source)),
                        *filter(None, (row.note,)),
                    )
                )
                for row in _named(both)
            ],
        }
    )
    return scatter(
        points,
        x=Axis("parameters", True, "power"),
        y=Axis("accuracy, %"),
        hues={f"{family}, {whose}": FAMILIES[family] for family in FAMILIES for whose in ("ours", "lecture")},
        symbols=("circle", "diamond-open"),
        look=look,
        width=420,
        height=height,
    )


def _table(runs: pd.DataFrame) -> None:
    rows = runs.rename(columns={"source": "made by"}).drop(columns="note")
    with st.expander("Every training, with its duration"):
        data_table(
            rows,
            hide_index=True,
            column_config={
                "parameters": st.column_config.NumberColumn(format="localized"),
                "pictures": st.column_config.NumberColumn(format="localized"),
                "learning rate": st.column_config.NumberColumn(format="%.4f"),
            },
        )
    epochs = ", ".join(f"{row.epochs} times {row.pictures:,}" for row in runs.drop_duplicates("pictures").itertuples())
    layout.caption(SECTION.text("Trainings", epochs=epochs, hardware=typeset.plain(runs.hardware[0])))
    charts.download_table(rows, "small-data")


def notice(runs: pd.DataFrame) -> tuple[str, ...]:
    """The best of each family with the least and with the most data, and who gained most."""
    wide = runs.pivot(index="model", columns="pictures", values="accuracy, %")
    least, most = wide.columns[0], wide.columns[-1]
    gains = (wide[most] - wide[least]).dropna().sort_values()
    sentences = [_gap(runs[runs.pictures == pictures], pictures) for pictures in dict.fromkeys((least, most))]
    # Four accuracies: the first and the last of two networks; 50% has the largest error.
    if len(gains) > 1 and compare(gains.iloc[-1], gains.iloc[0], margin=CLEAR * 2 * standard_error(50)) == "more":
        sentences.append(
            f"Of the {len(gains)} trained on both, **{gains.index[-1]}** gains most from {least:,} to {most:,} "
            f"pictures ({gains.iloc[-1]:.1f} points) and **{gains.index[0]}** least ({gains.iloc[0]:.1f})."
        )
    return tuple(filter(None, sentences))


def _gap(runs: pd.DataFrame, pictures: int) -> str:
    best = runs.sort_values("accuracy, %", ascending=False).drop_duplicates("family")
    if len(best) < 2:
        return ""
    first, second = _named(best)
    ahead = first.reached - second.reached
    # As if the two had been tested on pictures of their own.
    error = float(np.hypot(standard_error(first.reached), standard_error(second.reached)))
    chance = f", less than twice its standard error ({error:.1f} points)" if ahead < 2 * error else ""
    return (
        f"Of the {len(runs)} networks that learned from {pictures:,} pictures, the best {first.family} one, "
        f"**{first.model}** ({first.reached:.1f}%), is {ahead:.1f} points ahead of the best {second.family} one, "
        f"**{second.model}** ({second.reached:.1f}%){chance}."
    )


def standard_error(accuracy: float) -> float:
    """How far an accuracy in per cent is off by the choice of test pictures, in points."""
    share = accuracy / 100
    return 100 * float(np.sqrt(share * (1 - share) / TESTED))
