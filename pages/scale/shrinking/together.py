"""All together: several steps one after the other, their sum, and every measured variant in one picture."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.results.shrinking import Combined, Variant
from core.shrinking.number_formats import FORMATS
from core.shrinking.recipes import SHARES, Recipe
from core.shrinking.students import STUDENTS
from core.view.codec import whole_number
from dashboard import theme
from dashboard.address import parameter
from dashboard.figures.scatter import Axis, Line, scatter
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.scale.shrinking import compute_together as compute
from pages.scale.shrinking import evaluation, inputs
from pages.scale.shrinking.compute import MEASURED_ON, rows_of
from pages.scale.shrinking.compute_together import AXES, KINDS, RecipeRequest
from pages.scale.shrinking.prose import PAGE

SECTION = PAGE.section("All together")
MODELS = {**inputs.MODELS, inputs.MASKED: "bert-books"}
ALL_LAYERS = "all"
SIZES = {"half": "half (taught)", "third": "a third (taught)"}
MOST_LOST = {"at most 5% lost": 0.05, "at most 20% lost": 0.2, "all": float("inf")}
GREY = "#8a8f98"
KIND_HUES = dict(zip(KINDS, (*HUES[:5], GREY, *HUES[5:7]), strict=True))
LAYERS, HEADS, NEURONS, FORMAT, AXIS, MOST, OPENED = (
    "together_layers",
    "together_heads",
    "together_neurons",
    "together_format",
    "together_axis",
    "together_most",
    "together_row",
)
PICTURE = "shrinking-together"


def show() -> None:
    """Choose the steps; see their sum, what the network says after them, and the picture of all variants."""
    bar, below = layout.control_bar(), layout.waiting_place()
    with bar:
        question = inputs.choose(below, MODELS, others=False, forgets=(OPENED,))
        recipe = _recipe(question.name)
    inputs.show_cut(question)
    rows = rows_of(Combined, question.name)
    with layout.waiting_place():
        comparison = compute.combined(RecipeRequest(question, recipe))
    evaluation.says(comparison, changed="after all steps", name="shrinking-together-answers")
    layout.place_notice()
    layout.prose(SECTION.text("Combined steps"))
    layout.heading("One step after the other")
    st.markdown(about_sum(rows, recipe), width=theme.PROSE)
    _steps(rows, recipe)
    layout.heading("Every variant that was measured")
    _picture(question.name, row_of(rows, recipe))
    answer = f"{evaluation.about_answer(comparison)} {evaluation.about_bytes(comparison, _capital(recipe.title))}"
    layout.notes(SECTION, notice=(answer, about_free(rows)), numbers=_losses(rows, recipe))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


# What is chosen.


def _recipe(name: str) -> Recipe:
    students = {SIZES[student.split("-")[1]]: student for student in STUDENTS.get(name, ())}
    shares = {f"{share:.0%}": share for share in SHARES}
    if st.session_state.get(HEADS) not in (*shares, None):
        st.session_state[HEADS] = "25%"
    heads = st.select_slider("Heads removed", list(shares), "25%", key=HEADS, bind="query-params", width=170)
    with layout.settings():
        layers = controls.choice("Layers", [ALL_LAYERS, *students], key=LAYERS)
        if not students:
            layout.caption(SECTION.text("Networks with students"))
        neurons = controls.choice("Neurons removed", shares, key=NEURONS, first="0%")
        number_format = controls.choice("Computed in", FORMATS, key=FORMAT, first="int8")
    return Recipe(students.get(layers, ""), shares[heads], shares[neurons], number_format)


# The sum.


def row_of(rows: tuple[Combined, ...], recipe: Recipe) -> Combined:
    """The measured row of a recipe."""
    return next(
        row
        for row in rows
        if (row.student, row.heads, row.neurons, row.number_format)
        == (recipe.student, recipe.heads, recipe.neurons, recipe.number_format)
    )


def steps_of(recipe: Recipe) -> list[Recipe]:
    """Each of its steps alone."""
    steps = [
        Recipe(student=recipe.student),
        Recipe(heads=recipe.heads),
        Recipe(neurons=recipe.neurons),
        Recipe(number_format=recipe.number_format),
    ]
    return [step for step in steps if step != Recipe()]


def about_sum(rows: tuple[Combined, ...], recipe: Recipe) -> str:
    """What the steps lose alone and together, and what is left of bytes and time."""
    baseline, together = rows[0], row_of(rows, recipe)
    alone = [row_of(rows, step).quality_loss(baseline) for step in steps_of(recipe)]
    if not alone:
        return f"Nothing is taken away: {evaluation.quality_of(baseline)}. Choose a step."
    left = (
        f"**{together.bytes / baseline.bytes:.0%}** of the bytes and **{together.time:.0%}** of the time are left, "
        f"with {evaluation.quality_of(together)} (whole: {evaluation.quality_of(baseline)})."
    )
    if len(alone) == 1:
        return f"Measured: {left}"
    return (
        f"Measured: {left} Together the steps {evaluation.lost_in_words(together, baseline)}; alone they cost "
        f"{', '.join(map(_loss, alone))}, in sum {_loss(sum(alone))}."
    )


def _loss(share: float) -> str:
    """A loss with a true minus where it is a gain, and no minus zero."""
    return f"{round(share, 3) + 0.0:.1%}".replace("-", "−")


def _steps(rows: tuple[Combined, ...], recipe: Recipe) -> None:
    table_rows = [rows[0], *(row_of(rows, step) for step in steps_of(recipe))]
    if len(table_rows) > 2:
        table_rows.append(row_of(rows, recipe))
    data_table(_table(table_rows, rows[0]), hide_index=True, column_config=_columns(table_rows))
    layout.caption(
        SECTION.text(
            "Table of steps",
            measured_on=MEASURED_ON[rows[0].model],
            doubt=evaluation.about_doubt(rows[0]),
        )
    )


def _table(rows: Sequence[Variant], baseline: Variant) -> pd.DataFrame:
    measure = evaluation.MEASURES[baseline.measure]
    return pd.DataFrame(
        {
            "network": [row.variant for row in rows],
            measure: [row.quality for row in rows],
            "lost": [row.quality_loss(baseline) for row in rows],
            "MB on disk": [row.bytes / 1e6 for row in rows],
            "bytes, of the whole's": [row.bytes / baseline.bytes for row in rows],
            "time, of the whole's": [row.time for row in rows],
            "parameters": [row.parameters for row in rows],
        }
    )


def _columns(rows: Sequence[Variant]) -> dict:
    percent = st.column_config.NumberColumn(format="percent")
    return evaluation.quality_column(rows) | {
        "parameters": st.column_config.NumberColumn(format="localized"),
        "MB on disk": st.column_config.NumberColumn(format="%.1f"),
        "bytes, of the whole's": percent,
        "time, of the whole's": percent,
        "lost": percent,
    }


def about_free(rows: tuple[Combined, ...]) -> str:
    """The smallest variant that loses at most 1 % of the quality, and the fastest one."""
    baseline = rows[0]
    good = [row for row in rows[1:] if row.quality_loss(baseline) <= 0.01]
    if not good:
        return f"Each of {len(rows) - 1} combinations loses more than 1% of the quality."
    small, fast = min(good, key=lambda row: row.bytes), min(good, key=lambda row: row.time)
    return (
        f"Of {len(rows) - 1} combinations {len(good)} lose at most 1% of the quality. The smallest of them is "
        f"*{small.variant}* with {small.bytes / baseline.bytes:.0%} of the bytes, the fastest *{fast.variant}* with "
        f"{fast.time:.0%} of the time.{evaluation.about_small_losses(baseline)}"
    )


# The picture.


def _picture(name: str, chosen: Combined) -> None:
    with layout.control_bar():
        by = controls.choice("Quality against", AXES, key=AXIS)
        most = controls.choice("Shown", MOST_LOST, key=MOST, first="at most 20% lost")
    entries = compute.variants(name)
    every = compute.table_of(entries, by)
    points = every[[row.quality_loss(entries[0][1]) <= MOST_LOST[most] for _, row in entries]]
    points = points.assign(short="", tell=[tell(entries[number][1], entries[0][1]) for number in points.index])
    front = points[points.front].sort_values("x")
    st.markdown(about_front(every), width=theme.PROSE)
    opened = _opened(len(entries))
    charts.chart(
        partial(
            scatter,
            points,
            x=Axis(AXES[by]),
            y=Axis(evaluation.MEASURES[entries[0][1].measure]),
            hues=KIND_HUES,
            look=theme.look(),
            lines=(Line("Beaten by none", front.x.to_numpy(float), front.y.to_numpy(float), shape="hv"),),
            chosen=[number for number, (_, row) in enumerate(entries) if row is chosen or number == opened],
            height=theme.look().high(480),
        ),
        name=PICTURE,
        alt=f"{len(points)} variants, {points.front.sum()} of them beaten by none",
        table=points[["label", "family", "x", "y", "front"]],
        on_select=_open,
    )
    st.caption(SECTION.text("Pareto front"))
    if opened is not None:
        row = entries[opened][1]
        data_table(_table([entries[0][1], row], entries[0][1]), hide_index=True, column_config=_columns([row]))


def _open() -> None:
    points = st.session_state[PICTURE].selection.points
    if points:
        number = points[0]["customdata"]
        st.query_params[OPENED] = str(number[0] if isinstance(number, list) else number)


def _opened(count: int) -> int | None:
    return parameter(OPENED, lambda text: whole_number(text, count))


def tell(row: Variant, baseline: Variant) -> str:
    """What stands below the pointer."""
    return f"{evaluation.quality_of(row)}\n{row.bytes / baseline.bytes:.0%} of the bytes, {row.time:.0%} of the time"


def about_front(points: pd.DataFrame) -> str:
    """How many are beaten by none, and of which kinds they are."""
    front = points[points.front]
    counts = front.family.value_counts()
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"**{len(front)} of {len(points)}** variants are beaten by none: {kinds}."


# How it is computed.


def _losses(rows: tuple[Combined, ...], recipe: Recipe) -> dict[str, object]:
    """The losses of the steps alone as a sum in LaTeX, and their loss together."""
    alone = [row_of(rows, step).quality_loss(rows[0]) for step in steps_of(recipe)]
    terms = " + ".join(f"{loss:.3f}" for loss in alone).replace("+ -", "- ")
    return {
        "sum": f"{terms} = {sum(alone):.3f}" if alone else "0",
        "together": row_of(rows, recipe).quality_loss(rows[0]),
    }
