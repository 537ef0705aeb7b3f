"""Bits: a matrix rounded to few levels, the network in fewer bits here and now, and what was measured of it."""

from functools import partial

import pandas as pd
import streamlit as st

from core.results.shrinking import Rounding
from core.shrinking.bits import BITS, GROUPINGS
from core.shrinking.layouts import matrices_of
from core.shrinking.number_formats import FORMATS
from dashboard import theme, typeset
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import NOISE, compare_times
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.scale.shrinking import compute_bits as compute
from pages.scale.shrinking import evaluation, figures, inputs
from pages.scale.shrinking.compute import MEASURED_ON, Beside, Question, network_of, rows_of
from pages.scale.shrinking.compute_bits import Choice, Levels
from pages.scale.shrinking.evaluation import quality_of
from pages.scale.shrinking.prose import PAGE

SECTION = PAGE.section("Bits")
ALL, ONE = "all matrices", "this matrix alone"
TITLES = {
    "float32": "32 bits: float32",
    "bfloat16": "16 bits: bfloat16",
    "int8": "8 bits: int8, activations too",
    "int4": "4 bits: int4, else bfloat16",
}
MATRIX, HOW, GROUPING, WHERE = "bits_matrix", "bits_number", "bits_grouping", "bits_where"


def show() -> None:
    """Choose a matrix and its bits; see its levels and the answers; then all formats, and the measured table."""
    bar, waiting = layout.control_bar(), layout.waiting_place()
    with bar:
        question = inputs.choose(waiting)
        options = [str(number) for number in BITS]
        if st.session_state.get(HOW) not in (*options, None):
            st.session_state[HOW] = "4"
        bits = st.select_slider("Bits of a weight", options, "4", key=HOW, bind="query-params", width=170)
    with waiting:
        names = _matrices(question)
    with bar, layout.settings():
        choice = _choice(names, int(bits))
    inputs.show_cut(question)
    with waiting:
        levels = compute.levels(question, choice)
        smaller = compute.rounded(question, choice)
    evaluation.says(smaller, changed="rounded", name="shrinking-bits-answers")
    layout.place_notice()
    layout.prose(SECTION.text("Quantisation"))
    _matrix(choice, levels)
    _formats(question)
    rows = rows_of(Rounding, question.name)
    layout.heading("What was measured")
    if rows:
        _measured(rows)
    else:
        st.info(SECTION.text("Networks without measurements"))
    layout.notes(
        SECTION,
        notice=(
            f"{evaluation.about_answer(smaller)} {evaluation.about_moved(smaller)}",
            about_error(levels),
            *((about_layers(rows),) if rows else ()),
        ),
        numbers={"levels": 2 ** (choice.bits - 1) - 1, "step": levels.step},
    )


# What is chosen.


def _matrices(question: Question) -> list[str]:
    """The matrices of the network by their names; the page stops where there are none."""
    names = list(matrices_of(network_of(question)))
    if not names:
        st.info(SECTION.text("Networks without matrices"))
        st.stop()
    return names


def _choice(names: list[str], bits: int) -> Choice:
    if st.session_state.get(MATRIX) not in (*names, None):
        st.session_state[MATRIX] = names[0]  # another network has other matrices
    grouping = controls.choice("One step", GROUPINGS, key=GROUPING)
    where = controls.choice("Rounded", [ALL, ONE], key=WHERE)
    matrix = st.selectbox("Matrix", names, key=MATRIX, bind="query-params", width=controls.WIDTH)
    return Choice(matrix, bits, grouping, where == ONE)


# The matrix.


def _matrix(choice: Choice, levels: Levels) -> None:
    layout.heading("The levels of one matrix")
    st.markdown(about_matrix(levels), width=theme.PROSE)
    charts.chart(
        partial(figures.histogram, levels.edges, levels.counts, levels.levels, look=theme.look()),
        name="shrinking-bits-matrix",
        alt=f"The weights of {choice.matrix}, and the {len(levels.levels)} levels of its first row",
        table=pd.DataFrame({"from": levels.edges[:-1], "to": levels.edges[1:], "weights": levels.counts}),
    )
    st.caption(SECTION.text("Levels"))


def about_matrix(levels: Levels) -> str:
    """How large the error is beside the weights, and what is saved."""
    share = levels.error / levels.size if levels.size else 0.0
    return (
        f"Rounding moves a weight by **{share:.1%}** of the weights' own size (root mean squares), and the matrix "
        f"takes **{levels.stored:,}** bytes instead of {levels.full_bytes:,}: "
        f"**{levels.stored / levels.full_bytes:.1%}**."
    )


def about_error(levels: Levels) -> str:
    """How far the weight that moved most has moved, in steps."""
    return f"The weight that moved most moved by **{levels.moved:.2f}** steps; rounding to the nearest allows 0.5."


# The network in each format.


def _formats(question: Question) -> None:
    layout.heading("Computed in fewer bits, on your input")
    with layout.waiting_place():
        comparisons = compute.in_formats(question)
    st.markdown(about_formats(comparisons), width=theme.PROSE)
    first = comparisons[0]
    answers = [first.before, *(comparison.after for comparison in comparisons)]
    table = pd.DataFrame(
        {
            "computed in": [TITLES[name] for name in FORMATS],
            "MB in memory": [first.bytes[0] / 1e6, *(comparison.bytes[1] / 1e6 for comparison in comparisons)],
            "milliseconds": [first.milliseconds[0], *(comparison.milliseconds[1] for comparison in comparisons)],
            "time, of the whole's": [
                1.0,
                *(comparison.milliseconds[1] / comparison.milliseconds[0] for comparison in comparisons),
            ],
            "first answer": [typeset.readable(first.answers[int(probabilities.argmax())]) for probabilities in answers],
            "its probability": [float(probabilities.max()) for probabilities in answers],
        }
    )
    data_table(
        table,
        hide_index=True,
        column_config={
            "MB in memory": st.column_config.NumberColumn(format="%.1f"),
            "milliseconds": st.column_config.NumberColumn(format="%.1f"),
            "time, of the whole's": st.column_config.NumberColumn(format="percent"),
            "its probability": st.column_config.NumberColumn(format="percent"),
        },
    )
    layout.caption(SECTION.text("Number formats"))


def about_formats(comparisons: tuple[Beside, ...]) -> str:
    """Which format is fastest on this machine, and what it does to the first answer."""
    times = [comparison.milliseconds[1] / comparison.milliseconds[0] for comparison in comparisons]
    best = min(range(len(comparisons)), key=times.__getitem__)
    agreeing_formats = [
        name
        for name, comparison in zip(FORMATS[1:], comparisons, strict=True)
        if comparison.before.argmax() == comparison.after.argmax()
    ]
    stays = (
        "in all formats"
        if len(agreeing_formats) == len(comparisons)
        else f"in {' and '.join(agreeing_formats)}"
        if agreeing_formats
        else "in no other format"
    )
    fastest = (
        f"Fastest here is **{FORMATS[1 + best]}**, with {times[best]:.0%} of the time and "
        f"{comparisons[best].bytes[1] / comparisons[best].bytes[0]:.0%} of the memory"
        if compare_times(times[best], 1.0) == "less"
        else f"No format is clearly faster here than float32 (differences within {NOISE:.0%} are noise of the machine)"
    )
    return f"{fastest}. The first answer is the same as in float32 {stays}."


# What was measured.


def _measured(rows: tuple[Rounding, ...]) -> None:
    st.markdown(about_measured(rows), width=theme.PROSE)
    lines = lines_of(rows)
    along = sorted({row.bits for row in _all_rounded(rows)}, reverse=True)
    evaluation.curves(rows[0], along, lines, x="bits of a weight", name="shrinking-bits-curves")
    config = evaluation.quality_column(rows)
    (quality,) = config
    table = pd.DataFrame(
        {
            "rounded": [row.variant for row in rows],
            "computed in": [row.computed for row in rows],
            quality: [row.quality for row in rows],
            "MB on disk": [row.bytes / 1e6 for row in rows],
            "MB in memory": [row.memory / 1e6 for row in rows],
            "time, of the whole's": [row.time for row in rows],
        }
    )
    config |= {
        "MB on disk": st.column_config.NumberColumn(format="%.1f"),
        "MB in memory": st.column_config.NumberColumn(format="%.1f"),
        "time, of the whole's": st.column_config.NumberColumn(format="percent"),
    }
    data_table(table, hide_index=True, column_config=config)
    layout.caption(
        SECTION.text(
            "Table of rounded networks",
            measured_on=MEASURED_ON[rows[0].model],
            doubt=evaluation.about_doubt(rows[0]),
        )
    )


def _all_rounded(rows: tuple[Rounding, ...]) -> list[Rounding]:
    return [row for row in rows if row.grouping and row.layer is None]


def lines_of(rows: tuple[Rounding, ...]) -> dict[str, list[float]]:
    """Quality by the number of bits, from many to few, a line for each grouping; NaN where none was measured."""
    rounded = _all_rounded(rows)
    along = sorted({row.bits for row in rounded}, reverse=True)
    lines = {}
    for grouping in dict.fromkeys(row.grouping for row in rounded):
        by_bits = {row.bits: row.quality for row in rounded if row.grouping == grouping}
        lines[grouping] = [by_bits.get(bits, float("nan")) for bits in along]
    return lines


def about_measured(rows: tuple[Rounding, ...]) -> str:
    """Quality and bytes of the whole network and of those that compute with fewer bits."""
    by_format = "; ".join(
        f"{row.computed} **{row.memory / rows[0].memory:.0%}** of the memory, **{row.time:.0%}** of the time, "
        f"{quality_of(row)}"
        for row in rows[1:]
        if row.computed != "float32"
    )
    return f"The whole network in float32 reaches {quality_of(rows[0])}. Computed in fewer bits: {by_format}."


def about_layers(rows: tuple[Rounding, ...]) -> str:
    """Which layer suffers most when it alone is rounded, and whether that can be told from chance."""
    alone = [row for row in rows if row.layer is not None]
    if not alone:
        return "Which layer suffers most was not measured of this network."
    worst, best = (end(alone, key=lambda row: row.quality_loss(rows[0])) for end in (max, min))
    if worst.quality == best.quality:
        return f"No layer suffers more than another when it alone is rounded: {quality_of(worst)}."
    same = [str(row.layer) for row in alone if row.quality == worst.quality]
    verb = "leaves" if len(same) == 1 else "leave"
    named = f"layer {same[0]}" if len(same) == 1 else f"layers {', '.join(same)} (equally)"
    doubt = ""
    if worst.error is not None and abs(worst.quality - best.quality) < 2 * 2**0.5 * worst.error:
        doubt = " The best layer is within two standard errors of that: another choice of questions may turn it."
    return (
        f"Rounded alone, to {worst.bits} bits {worst.grouping}, **{named}** {verb} the network worst off: "
        f"{quality_of(worst)} (whole: {quality_of(rows[0])}).{doubt}"
    )
