"""What students are worth beside their teacher, as it was measured: quality, size, time, and whose mistakes."""

import pandas as pd
import streamlit as st

from core.results.shrinking_students import Difference, Student
from core.shrinking.students import TITLES
from dashboard import theme
from dashboard.frame import layout
from dashboard.output.data_table import data_table
from pages.scale.shrinking import compute_distilled as compute
from pages.scale.shrinking.prose import PAGE

SECTION = PAGE.section("Distilled")
ALL_LAYERS = "All layers"
HELD_OUT = {
    "bert-books": "masked tokens of a book that no model here was trained on",
    "vit-tiny-imagenet": "photographs that no network here was trained on",
}


def show(teacher: str) -> tuple[Student, ...]:
    """The table of a teacher and its students, and what it says."""
    layout.heading("What it costs")
    rows = compute.measured(teacher)
    st.markdown(about_measured(rows), width=theme.PROSE)
    taught = {None: "is the teacher", True: "yes", False: "no"}
    table = pd.DataFrame(
        {
            "network": [ALL_LAYERS if row.taught is None else TITLES[row.variant.split("-")[1]] for row in rows],
            "taught": [taught[row.taught] for row in rows],
            "layers": [row.layers for row in rows],
            "parameters": [row.parameters for row in rows],
            "MB": [row.bytes / 1e6 for row in rows],
            "milliseconds": [row.milliseconds for row in rows],
            "right": [row.quality for row in rows],
            "± (points)": [100 * row.error for row in rows],
            "teacher's answer": [row.as_teacher for row in rows],
            "its mistakes": [row.same_mistakes for row in rows],
        }
    )
    percent = st.column_config.NumberColumn(format="percent")
    data_table(
        table,
        hide_index=True,
        column_config={
            "parameters": st.column_config.NumberColumn(format="localized"),
            "MB": st.column_config.NumberColumn(format="%.1f"),
            "milliseconds": st.column_config.NumberColumn(format="%.1f"),
            "right": percent,
            "± (points)": st.column_config.NumberColumn(format="%.1f"),
            "teacher's answer": percent,
            "its mistakes": percent,
        },
    )
    layout.caption(SECTION.text("Table of students", questions=rows[0].questions, data=HELD_OUT[teacher]))
    return rows


def about_measured(rows: tuple[Student, ...]) -> str:
    """What half of the layers cost and save, and what the teacher was worth."""
    (teacher,) = (row for row in rows if row.taught is None)
    taught = sorted((row for row in rows if row.taught), key=lambda row: -row.layers)
    half = taught[0]
    assert half.lead is not None
    more = (
        " It is right more often than its teacher, from whose weights it went on to learn."
        if half.lead.value > 0 and half.lead.is_clear
        else ""
    )
    gains = [(row.layers, row.gain) for row in taught if row.gain is not None]
    worth = "; ".join(f"with {layers} layers {_points(gain)}" for layers, gain in gains)
    unclear = [str(layers) for layers, gain in gains if not gain.is_clear]
    doubt = (
        f" With {' and with '.join(unclear)} layers that is within twice its error: other questions might turn it "
        "around."
        if unclear
        else ""
    )
    return (
        f"With {half.layers} of {teacher.layers} layers the taught student takes "
        f"**{half.milliseconds / teacher.milliseconds:.0%}** of the time and **{half.bytes / teacher.bytes:.0%}** of "
        f"the bytes, and is right in {half.quality:.1%} of cases (the teacher in {teacher.quality:.1%}), a difference "
        f"of {_points(half.lead)}.{more} What the teacher adds to training without it: {worth}.{doubt}"
    )


def _points(difference: Difference) -> str:
    return f"**{100 * difference.value:+.1f}** ± {100 * difference.error:.1f} points"


def about_copied(rows: tuple[Student, ...]) -> str:
    """How often students give the teacher's answer, and repeat its mistakes, taught and alone."""
    pairs = []
    for values in ("as_teacher", "same_mistakes"):
        taught, alone = ([getattr(row, values) for row in rows if row.taught is kind] for kind in (True, False))
        pairs.append(
            (" and ".join(f"{share:.0%}" for share in taught), " and ".join(f"{share:.0%}" for share in alone))
        )
    (same, same_alone), (wrong, wrong_alone) = pairs
    return (
        f"Taught students give their teacher's first answer in **{same}** of cases, those that were left alone in "
        f"{same_alone}. Where the teacher is wrong, taught ones repeat its mistake in **{wrong}** of cases, the others "
        f"in {wrong_alone}."
    )
