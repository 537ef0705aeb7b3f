"""Weights: set to zero by their size, or taken out by the neuron; what is lost, and why zeros alone save no time."""

from functools import partial

import pandas as pd
import streamlit as st

from core.errors import ModelError
from core.results.shrinking import Zeroed
from dashboard import theme
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import NOISE, POINT, compare, compare_times
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.scale.shrinking import compute_weights as compute
from pages.scale.shrinking import evaluation, figures, inputs
from pages.scale.shrinking.compute import MEASURED_ON, Beside, Question, rows_of
from pages.scale.shrinking.compute_weights import Zeros
from pages.scale.shrinking.prose import PAGE

SECTION = PAGE.section("Weights")
SINGLE, NEURONS = "single weights", "whole neurons"
KINDS = {
    "whole": "as it is",
    "full": "zeros in full matrices",
    "rows": "compressed rows (CSR)",
    "neurons": "neurons taken out",
}
LINES = {"weights": "single weights set to zero", "neurons": "neurons taken out"}
SLIDER = 170  # pixels
WAY, PERCENT, MATRIX = "weights_way", "weights_percent", "weights_matrix"


def show() -> None:
    """What the network says with less, how long it takes in each form, one matrix, and the measured curves."""
    bar, below = layout.control_bar(), layout.waiting_place()
    with bar:
        question = inputs.choose(below)
        percent = st.slider("Removed, %", 0, 95, 50, 5, key=PERCENT, bind="query-params", width=SLIDER)
        with layout.settings():
            way = controls.choice("Remove", [SINGLE, NEURONS], key=WAY)
    inputs.show_cut(question)
    with layout.waiting_place():
        zeros = compute.zeroed(question, percent)
        neurons = _without_neurons(question, percent, needed=way == NEURONS)
    comparison = neurons if way == NEURONS and neurons is not None else zeros.full
    evaluation.says(comparison, changed=f"{percent}% of the {way.split()[1]} gone", name="shrinking-weights-answers")
    layout.place_notice()
    layout.prose(SECTION.text("Magnitude pruning"))
    _times(zeros, neurons)
    _matrix(question, percent, zeros)
    rows = rows_of(Zeroed, question.name)
    layout.heading("How much can go?")
    if rows:
        _measured(rows)
    else:
        st.info(SECTION.text("Networks without measurements"))
    answer = f"{evaluation.about_answer(comparison)} {evaluation.about_moved(comparison)}"
    notices = [answer, about_matrices(zeros), *((about_rows(rows),) if rows else ())]
    layout.notes(SECTION, notice=tuple(notices), numbers={"packed": zeros.packed, "full": zeros.full_bytes})


def _without_neurons(question: Question, percent: int, *, needed: bool) -> Beside | None:
    """The network without neurons; None where its layers are of an unknown layout and it was not asked for."""
    try:
        return compute.without(question, percent)
    except ModelError:
        if needed:
            raise
        return None


# How long it takes.


def _times(zeros: Zeros, neurons: Beside | None) -> None:
    layout.heading("Are zeros faster?")
    st.markdown(about_times(zeros, neurons), width=theme.PROSE)
    forms = {"full": zeros.full, "rows": zeros.rows} | ({"neurons": neurons} if neurons else {})
    table = pd.DataFrame(
        {
            "network": [KINDS[name] for name in ("whole", *forms)],
            "MB in memory": [zeros.full_bytes / 1e6, *(form.bytes[1] / 1e6 for form in forms.values())],
            "milliseconds": [zeros.full.milliseconds[0], *(form.milliseconds[1] for form in forms.values())],
            "time, of the whole's": [1.0, *(time_of(form) for form in forms.values())],
        }
    )
    data_table(
        table,
        hide_index=True,
        column_config={
            "MB in memory": st.column_config.NumberColumn(format="%.1f"),
            "milliseconds": st.column_config.NumberColumn(format="%.1f"),
            "time, of the whole's": st.column_config.NumberColumn(format="percent"),
        },
    )
    st.caption(SECTION.text("Times of sparse matrices"))


def time_of(comparison: Beside) -> float:
    """Of the whole network's."""
    return comparison.milliseconds[1] / comparison.milliseconds[0]


def about_times(zeros: Zeros, neurons: Beside | None) -> str:
    """How much of the time each form takes, and what is saved on disk."""
    last = f", without as large a share of the neurons **{time_of(neurons):.0%}**" if neurons else ""
    saved = 1 - zeros.packed / zeros.full_bytes
    on_disk = f"save {saved:.0%} of the bytes" if saved > 0 else f"take {-saved:.0%} more bytes"
    return (
        f"With **{zeros.share:.0%}** zeros one pass through full matrices takes **{time_of(zeros.full):.0%}** of the "
        f"time, through compressed rows **{time_of(zeros.rows):.0%}**{last}. On disk the zeros {on_disk}, in full "
        "matrices in memory they save none."
    )


# One matrix.


def _matrix(question: Question, percent: int, zeros: Zeros) -> None:
    layout.heading("Which weights are small?")
    names = list(zeros.by_matrix)
    if st.session_state.get(MATRIX) not in (*names, None):
        st.session_state[MATRIX] = names[0]  # another network has other matrices
    matrix = st.selectbox("Matrix", names, key=MATRIX, bind="query-params", width=controls.WIDTH)
    with layout.waiting_place():
        cut = compute.cut(question, percent, matrix)
    st.markdown(
        f"Of this matrix **{zeros.by_matrix[matrix]:.0%}** of the weights become zero, of all matrices "
        f"{zeros.share:.0%}.",
        width=theme.PROSE,
    )
    charts.chart(
        partial(figures.split_histogram, cut.edges, cut.remaining, cut.gone, look=theme.look()),
        name="shrinking-weights-matrix",
        alt=f"The weights of {matrix}: {cut.remaining.sum():,} stay, {cut.gone.sum():,} become zero",
        table=pd.DataFrame(
            {"from": cut.edges[:-1], "to": cut.edges[1:], "stay": cut.remaining, "become zero": cut.gone}
        ),
    )
    st.caption(SECTION.text("Threshold"))


def about_matrices(zeros: Zeros) -> str:
    """Which matrix loses most of its weights, and which least."""
    most, least = (end(zeros.by_matrix, key=zeros.by_matrix.__getitem__) for end in (max, min))
    if compare(zeros.by_matrix[most], zeros.by_matrix[least], margin=POINT) == "as much":
        return f"All {len(zeros.by_matrix)} matrices lose about as much: {zeros.by_matrix[most]:.0%} of their weights."
    return (
        f"Of the {len(zeros.by_matrix)} matrices `{most}` loses most ({zeros.by_matrix[most]:.0%} of its weights) and "
        f"`{least}` least ({zeros.by_matrix[least]:.0%})."
    )


# As it was measured.


def _measured(rows: tuple[Zeroed, ...]) -> None:
    st.markdown(about_loss(rows), width=theme.PROSE)
    along, lines = lines_of(rows)
    evaluation.curves(rows[0], along, lines, x="taken away, %", name="shrinking-weights-curves")
    config = evaluation.quality_column(rows)
    (quality,) = config
    table = pd.DataFrame(
        {
            "network": [row.variant for row in rows],
            "MB on disk": [row.bytes / 1e6 for row in rows],
            "time, of the whole's": [row.time for row in rows],
            "as compressed rows": [sparse_time(row) for row in rows],
            quality: [row.quality for row in rows],
        }
    )
    percent = st.column_config.NumberColumn(format="percent")
    config |= {
        "MB on disk": st.column_config.NumberColumn(format="%.1f"),
        "time, of the whole's": percent,
        "as compressed rows": percent,
    }
    data_table(table, hide_index=True, column_config=config)
    layout.caption(
        SECTION.text(
            "Table of pruned weights",
            measured_on=MEASURED_ON[rows[0].model],
            doubt=evaluation.about_doubt(rows[0]),
        )
    )


def sparse_time(row: Zeroed) -> float | None:
    """Of the whole network's, with matrices as compressed rows."""
    return None if row.sparse_milliseconds is None else row.sparse_milliseconds / row.whole_milliseconds


def lines_of(rows: tuple[Zeroed, ...]) -> tuple[list[float], dict[str, list[float]]]:
    """Quality by the percentage that is gone, a line for each way; NaN where it was not measured."""
    along = sorted({row.share for row in rows})
    lines = {}
    for way, title in LINES.items():
        qualities = {0.0: rows[0].quality} | {row.share: row.quality for row in rows if row.way == way}
        lines[title] = [qualities.get(share, float("nan")) for share in along]
    return [100 * share for share in along], lines


def can_go(rows: tuple[Zeroed, ...], way: str, loss: float) -> float:
    """The largest measured share up to which never more than `loss` of the quality is lost."""
    share = 0.0
    for row in sorted((row for row in rows if row.way == way and not row.is_full), key=lambda row: row.share):
        if row.quality_loss(rows[0]) > loss:
            break
        share = row.share
    return share


def about_loss(rows: tuple[Zeroed, ...]) -> str:
    """How much can go in either way before 1 and 5 % of the quality are lost."""
    parts = []
    for way, title in LINES.items():
        small, large = (can_go(rows, way, loss) for loss in evaluation.LOSSES)
        parts.append(f"{title}: **{small:.0%}** before 1% of the quality is lost, **{large:.0%}** before 5%")
    sentence = f"Measured in steps of a tenth. {parts[0][0].upper()}{parts[0][1:]}; {parts[1]}."
    return sentence + evaluation.about_small_losses(rows[0])


def about_rows(rows: tuple[Zeroed, ...]) -> str:
    """From which measured share on compressed rows take less time than full matrices, and the quality there."""
    faster = []
    for row in sorted((row for row in rows if row.way == "weights"), key=lambda row: -row.share):
        if compare_times(sparse_time(row) or 1.0, 1.0) != "less":
            break
        faster.append(row)
    if not faster:
        return (
            "Even with the most zeros that were measured, compressed rows were not clearly faster than full matrices "
            f"(differences within {NOISE:.0%} are noise of the machine)."
        )
    first = faster[-1]
    time = sparse_time(first)
    return (
        f"As compressed rows it was clearly faster than full matrices from **{first.share:.0%}** zeros on ({time:.0%} "
        f"of the time); there the quality is {evaluation.quality_of(first)} (whole: {evaluation.quality_of(rows[0])})."
    )
