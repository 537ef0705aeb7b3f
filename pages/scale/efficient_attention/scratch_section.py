"""From scratch: the same small model, trained with each kind of attention, for each of two tasks."""

from collections.abc import Collection, Sequence

import pandas as pd
import streamlit as st

from core.measured import EfficientRun, efficient_characters
from dashboard import charts, layout
from dashboard.figures.costs import Point, costs
from dashboard.theme import HUES
from pages.scale.efficient_attention import words_scratch as said
from pages.scale.efficient_attention.scratch_notices import EXACT, LOW_RANK, formula, notice


def show() -> None:
    """The task; loss against work, and the table."""
    every = efficient_characters()
    if not layout.is_presented():
        st.markdown(said.LEAD.format(**vars(every[0])), width=layout.PROSE)
    task = _task({run.task for run in every})
    runs = tuple(run for run in every if run.task == task)
    if not layout.is_presented():
        st.markdown(said.TOLD[task], width=layout.PROSE)
    _figure(runs)
    _table(runs)
    layout.notes(said.NOTES, notice=notice(runs), formula=lambda: formula(runs))


def _task(there: Collection[str]) -> str:
    names = {name: task for task, name in said.TASKS.items() if task in there}
    with layout.control_bar():
        chosen = st.segmented_control(
            said.TASK,
            list(names),
            default=next(iter(names)),
            key="learns",
            bind="query-params",
            required=True,
            help=said.TASK_HELP,
        )
    return names[chosen]


def _figure(runs: Sequence[EfficientRun]) -> None:
    points = [Point(run.variant, run.variant, float(run.multiplications), run.bits) for run in runs]
    hues = {run.variant: HUES[number % len(HUES)] for number, run in enumerate(runs)}
    figure = costs(
        points,
        hues=hues | {LOW_RANK: layout.look().palette.soft},  # a bound, not one of them
        look=layout.look(),
        x="numbers multiplied by one head",
        y="bits a character",
        width=640,
        height=layout.look().high(420),
    )
    figure.update_traces(hovertemplate="%{customdata}: %{y:.3f} bits a character, %{x:.3s} products<extra></extra>")
    charts.chart(
        figure,
        name="efficient-scratch",
        alt="Held-out loss against multiplications: " + "; ".join(f"{run.variant} {run.bits:.3f} bits" for run in runs),
        table=table(runs),
    )


def table(runs: Sequence[EfficientRun]) -> pd.DataFrame:
    """One row a kind of attention, the best first."""
    exact = next((run.bits for run in runs if run.variant == EXACT), None)
    return pd.DataFrame(
        [
            {
                "attention": run.variant,
                "bits a character": run.bits,
                "more than exact": None if exact is None else run.bits - exact,
                "multiplied by a head": run.multiplications,
                "settings": run.settings,
            }
            for run in sorted(runs, key=lambda run: run.bits)
        ]
    )


def _table(runs: Sequence[EfficientRun]) -> None:
    st.dataframe(
        table(runs),
        hide_index=True,
        row_height=42 if layout.is_presented() else None,
        column_config={
            "bits a character": st.column_config.NumberColumn(format="%.3f"),
            "more than exact": st.column_config.NumberColumn(format="%+.3f"),
            "multiplied by a head": st.column_config.NumberColumn(format="localized"),
        },
    )
    if not layout.is_presented():
        run = runs[0]
        st.caption(
            said.HOW.format(
                letter=said.LETTER[run.task],
                source=run.source,
                hardware=layout.plain(run.hardware),
                context=run.context,
            )
        )
