"""Bits: a matrix rounded to few levels, what the network says with it, and what was measured of all matrices."""

import math
from functools import partial

import pandas as pd
import streamlit as st

from core.measured.shrinking_bits import Rounding
from core.shrinking.bits import BITS, GROUPINGS, matrices_of
from dashboard import charts, controls, layout, photograph
from dashboard.figures.predictions import prediction_bars
from pages.scale.shrinking import compute_bits as compute
from pages.scale.shrinking import figures_bits
from pages.scale.shrinking import words_bits as words
from pages.scale.shrinking.compute_bits import Answers, Choice, Levels

OF, MATRIX, HOW, GROUPING, WHERE, TEXT = (
    "bits_of",
    "bits_matrix",
    "bits_number",
    "bits_grouping",
    "bits_where",
    "bits_text",
)
TOP, LONGEST_LINE = 5, 400  # answers that are shown; characters


def show() -> None:
    """Choose a matrix and its bits; see its levels and the answers; then the measured table."""
    if not layout.is_presented():
        st.markdown(words.LEAD, width=layout.PROSE)
    choice = _choice()
    answers = _answers_of(choice)
    with layout.waiting_place():
        found = compute.levels(choice.model, choice.matrix, choice.bits, choice.grouping)
    _matrix(choice, found)
    st.subheader(words.SAYS, anchor=False)
    st.markdown(about_answers(answers), width=layout.PROSE)
    _answers(answers)
    rows = compute.measured(choice.model)
    _measured(rows)
    layout.notes(words.NOTES, notice=(about_error(found), about_layers(rows)), formula=lambda: _formula(choice, found))


# What is chosen.


def _choice() -> Choice:
    model = words.KINDS[controls.choice("Network", words.KINDS, key=OF)]
    with layout.waiting_place():
        names = list(matrices_of(compute.network_of(model).network))
    if st.session_state.get(MATRIX) not in (*names, None):
        st.session_state[MATRIX] = names[0]  # another network has other matrices
    with layout.control_bar():
        matrix = st.selectbox("Matrix", names, key=MATRIX, bind="query-params", width=controls.WIDTH)
        bits = controls.choice("Bits", [str(each) for each in reversed(BITS)], key=HOW)
        grouping = controls.choice("One step", GROUPINGS, key=GROUPING)
        where = controls.choice("Rounded", [words.ALL, words.ONE], key=WHERE)
    return Choice(model, matrix, int(bits), grouping, where == words.ONE)


def _answers_of(choice: Choice) -> Answers:
    if choice.model.startswith("vit"):
        picture = controls.picture()
        with layout.waiting_place():
            return compute.said_of_picture(choice, photograph.Photograph(choice.model, picture, None))
    controls.examples(words.EXAMPLES, field=TEXT)
    typed = st.text_input("Your sentence", words.SENTENCE, key=TEXT, bind="query-params", max_chars=LONGEST_LINE)
    with layout.waiting_place():
        tokens = compute.read(choice.model, typed)
    layout.say_what_was_cut(tokens)
    with layout.waiting_place():
        return compute.said_of_text(choice, typed)


# The matrix.


def _matrix(choice: Choice, found: Levels) -> None:
    st.markdown(about_matrix(found), width=layout.PROSE)
    charts.chart(
        partial(figures_bits.histogram, found.edges, found.counts, found.levels, look=layout.look()),
        name="shrinking-bits-matrix",
        alt=f"The weights of {choice.matrix}, and the {len(found.levels)} levels of its first row",
        table=pd.DataFrame({"from": found.edges[:-1], "to": found.edges[1:], "weights": found.counts}),
    )
    st.caption(words.HISTOGRAM_CAPTION)


def about_matrix(found: Levels) -> str:
    """How large the error is beside the weights, and what is saved."""
    share = found.error / found.size if found.size else 0.0
    return (
        f"Rounding moves a weight by **{share:.1%}** of the weights' own size (root mean squares), and the matrix "
        f"takes **{found.stored:,}** bytes instead of {found.whole:,}: **{found.stored / found.whole:.1%}**."
    )


def about_error(found: Levels) -> str:
    """How far the weight that moved most has moved, in steps."""
    return f"The weight that moved most moved by **{found.moved:.2f}** steps; rounding to the nearest allows 0.5."


# What the network says.


def _answers(answers: Answers) -> None:
    numbers = answers.before.topk(min(TOP, len(answers.labels))).indices.tolist()
    labels = [layout.readable(answers.labels[number]) for number in numbers]
    before, after = (each[numbers].tolist() for each in (answers.before, answers.after))
    told = ", ".join(f"{label} {old:.1%} then {new:.1%}" for label, old, new in zip(labels, before, after, strict=True))
    charts.chart(
        partial(prediction_bars, labels, before, after, look=layout.look(), changed="rounded"),
        name="shrinking-bits-answers",
        alt=told,
        table=pd.DataFrame({"answer": labels, "before": before, "rounded": after}),
    )


def about_answers(answers: Answers) -> str:
    """Whether the first answer stays, and how much probability moved in all."""
    old, new = (int(each.argmax()) for each in (answers.before, answers.after))
    first, other = (layout.plain(layout.readable(answers.labels[each]).strip()) for each in (old, new))
    moved = float((answers.before - answers.after).abs().sum()) / 2
    stays = f"The first answer stays **“{first}”**" if old == new else f"The first answer turns to **“{other}”**"
    return (
        f"{stays}; “{first}” had {answers.before[old]:.1%} and has {answers.after[old]:.1%}. In all, "
        f"**{moved:.1%}** of the probability has moved."
    )


# What was measured.


def _measured(rows: tuple[Rounding, ...]) -> None:
    st.subheader(words.MEASURED, anchor=False)
    if not rows:
        st.info("Of this network nothing was measured yet; what stands above is computed now.")
        return
    st.markdown(about_measured(rows), width=layout.PROSE)
    table = pd.DataFrame(
        {
            "rounded": [row.variant for row in rows],
            rows[0].measure if rows[0].measure == "accuracy" else "bits per token": [row.quality for row in rows],
            "MB": [row.bytes / 1e6 for row in rows],
            "milliseconds": [row.milliseconds for row in rows],
        }
    )
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "accuracy": st.column_config.NumberColumn(format="percent"),
            "bits per token": st.column_config.NumberColumn(format="%.3f"),
            "MB": st.column_config.NumberColumn(format="%.1f"),
            "milliseconds": st.column_config.NumberColumn(format="%.1f"),
        },
    )
    st.caption(f"{words.TABLE} {about_chance(rows)}")


def about_chance(rows: tuple[Rounding, ...]) -> str:
    """How exactly a share of right answers is known, from at most 1,000 cases; nothing where quality is no share."""
    if rows[0].measure != "accuracy":
        return ""
    error = math.sqrt(rows[0].quality * (1 - rows[0].quality) / words.MOST_CASES)
    return f"A share is known to no better than {100 * error:.1f} points (one standard error): less tells nothing."


def about_measured(rows: tuple[Rounding, ...]) -> str:
    """Quality and bytes of the whole network and of the smallest one."""
    whole, least = rows[0], min((row for row in rows if row.layer is None), key=lambda row: row.bytes)
    return (
        f"The smallest ({least.variant}) takes **{least.bytes / whole.bytes:.0%}** of the bytes and reaches "
        f"**{quality_of(least)}**; the whole network reaches {quality_of(whole)}."
    )


def about_layers(rows: tuple[Rounding, ...]) -> str:
    """Which layer suffers most when it alone is rounded."""
    alone = [row for row in rows if row.layer is not None]
    if not alone:
        return "Which layer suffers most was not measured of this network."
    worst = (min if alone[0].measure == "accuracy" else max)(alone, key=lambda row: row.quality)
    same = [str(row.layer) for row in alone if row.quality == worst.quality]
    named = f"layer {same[0]}" if len(same) == 1 else f"layers {', '.join(same)} (equally)"
    return (
        f"Rounded alone, to {worst.bits} bits per tensor, **{named}** leaves the network worst off: "
        f"{quality_of(worst)} (whole: {quality_of(rows[0])})."
    )


def quality_of(row: Rounding) -> str:
    """Its quality in words."""
    return f"{row.quality:.1%} right" if row.measure == "accuracy" else f"{row.quality:.3f} bits a token"


# How it is computed.


def _formula(choice: Choice, found: Levels) -> None:
    most = 2 ** (choice.bits - 1) - 1
    st.markdown(words.FORMULA)
    st.latex(r"\textstyle s = \frac{\max_{w \in G} |w|}{2^{b-1} - 1}")
    st.latex(r"\textstyle q(w) = s \, \mathrm{round}(w / s)")
    st.latex(rf"\textstyle |w - q(w)| \le \frac{{s}}{{2}}, \; 2^{{b-1}} - 1 = {most}")
    st.latex(rf"\textstyle s \le {found.step:.5f}")
