"""Which heads have a job that has a name: on the previous token, on the first one, or induction."""

import math
from collections import Counter

import numpy as np
import streamlit as st
from jaxtyping import Float

from core.heads.head_table import HeadTable
from core.heads.jobs import MIN_STANDARD_ERRORS, Jobs
from dashboard import glossary
from dashboard.components.cell_map import cell_map
from dashboard.recordings.notices import Finding
from dashboard.recordings.watched import Head, Watched, WatchedText
from dashboard.theme import HUES
from pages.foundations.many_heads import compute, head_in_view
from pages.foundations.many_heads.prose import PAGE

SECTION = PAGE.section("Measured")
JOB = "Job"  # in the list of measures, and a column of the table of all heads
NAMES = ("no name", "previous token", "first token", "induction")
ORDER = (*NAMES[1:], "")  # in the table
INDUCTION = 0.1  # of the attention, from which on a head is called an induction head: even attention gives 0.01


def jobs_of(
    table: HeadTable, even: dict[str, Float[np.ndarray, "layer head"]], tested: Jobs | None
) -> Float[np.ndarray, "layer head"]:
    """The number in NAMES of each head's job, by the largest share where it has two; NaN where there is no such head.

    `even`: the shares of uniform attention on the previous and on the first token; `tested`: induction and its control.
    """
    jobs = np.where(table.values["entropy"].isnan().numpy(), np.nan, 0.0)
    for layer, head in np.argwhere(jobs == 0).tolist():
        shares = [0.0] * len(NAMES)
        for number, name in enumerate(("previous_token", "first_token"), start=1):
            if name in table.values:
                finding = Finding(
                    layer, head, float(table.values[name][layer, head]), even=float(even[name][layer, head])
                )
                shares[number] = finding.value if finding.is_habit else 0.0
        if is_induction_head(table, tested, (layer, head)):
            shares[-1] = float(table.values["induction"][layer, head])
        jobs[layer, head] = int(np.argmax(shares))
    return jobs


def is_induction_head(table: HeadTable, tested: Jobs | None, place: Head) -> bool:
    """Whether the induction score is INDUCTION or more, and clearly above its control where that was `tested`."""
    scores = table.values.get("induction")
    if scores is None or not float(scores[place]) >= INDUCTION:
        return False
    if tested is None:
        return True
    against = tested.of(place)
    return against.difference > MIN_STANDARD_ERRORS * against.error


def about_jobs(jobs: Float[np.ndarray, "layer head"]) -> str:
    """How many heads have a job with a name, and how many have each."""
    counts = Counter(jobs[np.isfinite(jobs)].astype(int).tolist())
    heads = counts.total()
    named = heads - counts[0]
    if not named:
        return f"None of the {heads} heads has one of the three jobs on this text."
    listed = ", ".join(f"{counts[number]} {NAMES[number]}" for number in range(1, len(NAMES)) if counts[number])
    verb = "has" if named == 1 else "have"
    return f"**{named} of {heads} heads** {verb} a job with a name: {listed}."


def show_map(watched: Watched, jobs: Float[np.ndarray, "layer head"], place: Head) -> None:
    """Every head in the colour of its job; a click chooses the head in view."""
    cell_map(
        jobs,
        key="jobs",
        x="head",
        y="layer",
        tell="layer {row}, head {column}: {value}",
        rows=head_in_view.layer_names(watched),
        kinds=NAMES,
        hues=HUES[: len(NAMES) - 1],
        marked=[place],
        mark="in view",
        on_click=head_in_view.if_it_is_there(watched, head_in_view.choose),
        alt=about_jobs(jobs).replace("**", ""),
        name="heads-jobs",
    )


def say_what_they_mean() -> None:
    """What each job is, and from where on a head has it."""
    st.markdown(glossary.linked(SECTION.text("Jobs", induction=INDUCTION, errors=MIN_STANDARD_ERRORS)))


def jobs_in(watched: WatchedText, table: HeadTable, tested: Jobs | None) -> Float[np.ndarray, "layer head"]:
    """The jobs of the heads of a model on a text."""
    even = {name: values.numpy() for name, values in compute.even_shares(watched).items()}
    return jobs_of(table, even, tested)


def name_of(job: float) -> str:
    """The name for the table; "" where there is none."""
    return "" if math.isnan(job) or not job else NAMES[int(job)]
