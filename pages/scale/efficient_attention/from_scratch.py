"""From scratch: the same small model, trained with each kind of attention, for each of two tasks."""

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.results import HIDDEN, NEXT, EfficientRun, efficient_characters
from dashboard import theme, typeset
from dashboard.figures.costs import Point, costs
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare
from dashboard.output import charts
from dashboard.output.comparisons import join_names
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.scale.efficient_attention.prose import PAGE

SECTION = PAGE.section("From scratch")
TASKS = {HIDDEN: "To fill in hidden letters", NEXT: "To predict the next letter"}
LOSS = {HIDDEN: "Loss of hidden letters", NEXT: "Loss of the next letter"}
LETTER = {HIDDEN: "hidden letter", NEXT: "letter"}
ALIKE = 0.005  # bits a character: each kind was trained once, so smaller differences are told as none
EXACT, LOW_RANK = "Exact", "Low rank"


def show() -> None:
    """The task; loss against work, and the table."""
    every = efficient_characters()
    names = {name: task for task, name in TASKS.items() if task in {run.task for run in every}}
    with layout.control_bar():
        about = SECTION.text("Two kinds of language model")
        task = names[controls.choice("What the model learns", names, key="learns", about=about)]
    runs = tuple(run for run in every if run.task == task)
    rows = table(runs)
    _figure(runs, rows)
    layout.place_notice()
    _table(runs[0], rows)
    sizes = sorted({run.parameters for run in every})
    parameters = " to ".join(f"{size:,}" for size in dict.fromkeys((sizes[0], sizes[-1])))
    lead = SECTION.text("Training", parameters=parameters, context=every[0].context, steps=every[0].steps)
    layout.prose(f"{lead}\n\n{SECTION.text(TASKS[task])}")
    best = min(runs, key=lambda run: run.bits)
    layout.notes(
        SECTION,
        notice=notices(runs),
        numbers={"bits": best.bits, "variant": best.variant, "letters": 2**best.bits},
        formula=lambda: st.markdown(SECTION.text(LOSS[task])),
    )


def table(runs: Sequence[EfficientRun]) -> pd.DataFrame:
    """One row a kind of attention, the best first."""
    exact = next((run.bits for run in runs if run.variant == EXACT), math.nan)
    columns = ["attention", "bits a character", "more than exact", "multiplied by a head", "settings"]
    rows = [(run.variant, run.bits, run.bits - exact, run.multiplications, run.settings) for run in runs]
    return pd.DataFrame(rows, columns=columns).sort_values("bits a character", kind="stable", ignore_index=True)


def _figure(runs: Sequence[EfficientRun], rows: pd.DataFrame) -> None:
    points = [Point(run.variant, run.variant, float(run.multiplications), run.bits) for run in runs]
    hues = {run.variant: HUES[number % len(HUES)] for number, run in enumerate(runs)}
    figure = costs(
        points,
        hues=hues | {LOW_RANK: theme.look().palette.soft},  # a yardstick, not one of them
        look=theme.look(),
        x="numbers multiplied by one head",
        y="bits a character",
        width=640,
        height=theme.look().high(420),
    )
    figure.update_traces(hovertemplate="%{customdata}: %{y:.3f} bits a character, %{x:.3s} products<extra></extra>")
    charts.chart(
        figure,
        name="efficient-scratch",
        alt="Held-out loss against multiplications: " + "; ".join(f"{run.variant} {run.bits:.3f} bits" for run in runs),
        table=rows,
    )


def _table(run: EfficientRun, rows: pd.DataFrame) -> None:
    data_table(
        rows,
        hide_index=True,
        column_config={
            "bits a character": st.column_config.NumberColumn(format="%.3f"),
            "more than exact": st.column_config.NumberColumn(format="%+.3f"),
            "multiplied by a head": st.column_config.NumberColumn(format="localized"),
        },
    )
    about = SECTION.text(
        "Held-out loss",
        letter=LETTER[run.task],
        source=run.source,
        hardware=typeset.plain(run.hardware),
        context=run.context,
    )
    layout.caption(about)


def notices(runs: Sequence[EfficientRun]) -> tuple[str, ...]:
    """The best approximation, the cheapest and the worst one, and what each costs in bits; then the nearest map."""
    exact = next((run for run in runs if run.variant == EXACT), None)
    others = [run for run in runs if run.variant not in (EXACT, LOW_RANK)]
    if exact is None or not others:
        return ()
    best, worst = min(others, key=lambda run: run.bits), max(others, key=lambda run: run.bits)
    near_best = [run for run in others if compare(run.bits, best.bits, margin=ALIKE) == "as much" and run != best]
    also = ""
    if near_best:
        names = join_names([run.variant for run in near_best], bold=True)
        also = f" {names} cannot be told from it by one training."
    cheapest = min(others, key=lambda run: run.multiplications)
    sentences = [
        f"Of all approximations, **{best.variant}** ({best.settings}) predicts best: {best.bits:.3f} bits a "
        f"character, {_against(best, exact)}, with {best.multiplications / exact.multiplications:.0%} of its "
        f"multiplications.{also}",
    ]
    if cheapest != best:
        sentences.append(
            f"**{cheapest.variant}** multiplies least, {cheapest.multiplications / exact.multiplications:.0%} of what "
            f"exact attention does, and needs {_against(cheapest, exact)}."
        )
    if worst not in (best, cheapest, *near_best):
        sentences.append(f"**{worst.variant}** predicts worst of them, with {_against(worst, exact)}.")
    if near := next((run for run in runs if run.variant == LOW_RANK), None):
        rank = near.settings.removeprefix("rank ")
        sentences.append(SECTION.text("Yardstick", against=_against(near, exact), rank=rank))
    if compare(best.bits, exact.bits, margin=ALIKE) == "less":
        sentences.append(SECTION.text("Better than exact", steps=exact.steps))
    return tuple(sentences)


def _against(run: EfficientRun, exact: EfficientRun) -> str:
    side = compare(run.bits, exact.bits, margin=ALIKE)
    if side == "as much":
        return f"as many bits as exact attention, within {ALIKE}"
    return f"{abs(run.bits - exact.bits):.3f} bits {'more' if side == 'more' else 'fewer'} than exact attention"
