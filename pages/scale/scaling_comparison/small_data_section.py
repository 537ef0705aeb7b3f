"""Small data: our own trainings on CIFAR-10, beside a lecture's."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.measured import SmallDataRun, small_data_runs
from core.published import small_data_results
from dashboard import charts, layout
from pages.scale.scaling_comparison import small_data_notices
from pages.scale.scaling_comparison import words_small_data as said
from pages.scale.scaling_comparison.figures_small_data import Learner, against_pictures, against_size


def show() -> None:
    """The two figures and the table."""
    if not layout.is_presented():
        st.markdown(said.LEAD, width=layout.PROSE)
    runs = small_data_runs()
    learners = learners_of(runs)
    _figures(learners)
    _table(runs)
    layout.notes(
        said.NOTES, notice=small_data_notices.notice(learners), formula=lambda: small_data_notices.formula(learners)
    )


def learners_of(runs: Sequence[SmallDataRun]) -> tuple[Learner, ...]:
    """One for each network, in the order of their sizes."""
    reached: dict[str, dict[int, float]] = {}
    for run in runs:
        reached.setdefault(run.model, {})[run.pictures] = run.accuracy_percent
    kinds = {run.model: run for run in runs}
    found = (Learner(name, kinds[name].family, kinds[name].params, each) for name, each in reached.items())
    return tuple(sorted(found, key=lambda learner: learner.parameters))


def _figures(learners: tuple[Learner, ...]) -> None:
    left, right = st.columns(2, gap="medium")
    height = 560 if layout.is_presented() else 420
    with left:
        st.subheader("How much data closes the gap?", anchor=False)
        charts.chart(
            against_pictures(learners, look=layout.look(), height=height),
            name="small-data-pictures",
            alt="Accuracy against the pictures to learn from: " + "; ".join(_told(each) for each in learners),
            table=pd.DataFrame(
                [
                    {"model": each.name, "family": each.family, "pictures": pictures, "accuracy, %": accuracy}
                    for each in learners
                    for pictures, accuracy in each.reached.items()
                ]
            ),
        )
    most = max(pictures for each in learners for pictures in each.reached)
    with right:
        st.subheader("Does size help?", anchor=False)
        whole = [each for each in learners if most in each.reached]
        charts.chart(
            against_size(whole, _published(), look=layout.look(), height=height),
            name="small-data-size",
            alt=f"Accuracy with all {most:,} pictures against parameters, ours and a lecture's.",
            table=published_table(),
        )
        if not layout.is_presented():
            st.caption(said.BESIDE)


def _told(learner: Learner) -> str:
    return f"{learner.name} " + ", ".join(f"{each:.0f} % of {pictures:,}" for pictures, each in learner.reached.items())


def _published() -> list[tuple[Learner, str]]:
    return [
        (
            Learner(each.model, each.family, each.parameters, {50_000: each.accuracy}),
            f"{each.epochs} epochs<br>{each.source}",
        )
        for each in small_data_results()
    ]


def published_table() -> pd.DataFrame:
    """The lecture's figures with their source."""
    return pd.DataFrame(
        [
            {
                "model": each.model,
                "family": each.family,
                "parameters": each.parameters,
                "accuracy, %": each.accuracy,
                "epochs": each.epochs,
                "source": each.source,
            }
            for each in small_data_results()
        ]
    )


def _table(runs: Sequence[SmallDataRun]) -> None:
    rows = pd.DataFrame([vars(run) for run in runs]).sort_values(["params", "pictures"])
    rows.columns = [
        "model",
        "family",
        "parameters",
        "pictures",
        "epochs",
        "learning rate",
        "accuracy, %",
        "seconds",
        "hardware",
        "made by",
    ]
    epochs = ", ".join(f"{of.epochs} times {of.pictures:,}" for of in {run.pictures: run for run in runs}.values())
    with st.expander("Every training, with its duration"):
        st.dataframe(
            rows,
            hide_index=True,
            column_config={
                "parameters": st.column_config.NumberColumn(format="localized"),
                "pictures": st.column_config.NumberColumn(format="localized"),
                "learning rate": st.column_config.NumberColumn(format="%.4f"),
            },
        )
    if not layout.is_presented():
        st.caption(said.HOW.format(epochs=epochs, hardware=layout.plain(runs[0].hardware)))
        charts.download_table(rows, "small-data")
