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
from pages.scale.shrinking import asked, words
from pages.scale.shrinking import compute_together as compute
from pages.scale.shrinking import words_together as words_here
from pages.scale.shrinking.compute import rows_of
from pages.scale.shrinking.compute_together import Asked

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
        question = asked.choose(below, words_here.MODELS, others=False, forgets=(OPENED,))
        recipe = _recipe(question.name)
    asked.tell_cut(question)
    rows = rows_of(Combined, question.name)
    with layout.waiting_place():
        comparison = compute.combined(Asked(question, recipe))
    asked.says(comparison, changed="after all steps", name="shrinking-together-answers")
    layout.place_notice()
    if not theme.is_presented():
        st.markdown(words_here.LEAD, width=theme.PROSE)
    layout.heading(words_here.SUM)
    st.markdown(about_sum(rows, recipe), width=theme.PROSE)
    _steps(rows, recipe)
    layout.heading(words_here.PICTURE)
    _picture(question.name, row_of(rows, recipe))
    answer = f"{asked.about_answer(comparison)} {asked.about_bytes(comparison, _capital(recipe.title))}"
    layout.notes(words_here.NOTES, notice=(answer, about_free(rows)), formula=lambda: _formula(rows, recipe))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


# What is chosen.


def _recipe(name: str) -> Recipe:
    students = {words_here.SIZES[student.split("-")[1]]: student for student in STUDENTS.get(name, ())}
    shares = {f"{share:.0%}": share for share in SHARES}
    if st.session_state.get(HEADS) not in (*shares, None):
        st.session_state[HEADS] = "25%"
    heads = st.select_slider("Heads removed", list(shares), "25%", key=HEADS, bind="query-params", width=170)
    with layout.settings():
        layers = controls.choice("Layers", [words_here.ALL_LAYERS, *students], key=LAYERS)
        if not students:
            layout.caption(words_here.NO_STUDENT)
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
        return f"Nothing is taken away: {asked.quality_of(baseline)}. Choose a step."
    left = (
        f"**{together.bytes / baseline.bytes:.0%}** of the bytes and **{together.time:.0%}** of the time are left, "
        f"with {asked.quality_of(together)} (whole: {asked.quality_of(baseline)})."
    )
    if len(alone) == 1:
        return f"Measured: {left}"
    return (
        f"Measured: {left} Together the steps {asked.lost_in_words(together, baseline)}; alone they cost "
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
        f"Measured on {words.MEASURED_ON[rows[0].model]}. {words_here.OWN_ORDER}{asked.about_doubt(rows[0])}"
    )


def _table(rows: Sequence[Variant], baseline: Variant) -> pd.DataFrame:
    measure = words.MEASURES[baseline.measure]
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
    return asked.quality_column(rows) | {
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
        f"{fast.time:.0%} of the time.{asked.about_small_losses(baseline)}"
    )


# The picture.


def _picture(name: str, chosen: Combined) -> None:
    with layout.control_bar():
        by = controls.choice("Quality against", words_here.AXES, key=AXIS)
        most = controls.choice("Shown", words_here.MOST_LOST, key=MOST, first=words_here.USUAL)
    entries = compute.variants(name)
    every = compute.table_of(entries, by)
    points = every[[row.quality_loss(entries[0][1]) <= words_here.MOST_LOST[most] for _, row in entries]]
    points = points.assign(short="", tell=[tell(entries[number][1], entries[0][1]) for number in points.index])
    front = points[points.front].sort_values("x")
    st.markdown(about_front(every), width=theme.PROSE)
    opened = _opened(len(entries))
    charts.chart(
        partial(
            scatter,
            points,
            x=Axis(words_here.AXES[by]),
            y=Axis(words.MEASURES[entries[0][1].measure]),
            hues=words_here.KINDS,
            look=theme.look(),
            lines=(Line(words_here.FRONT, front.x.to_numpy(float), front.y.to_numpy(float), shape="hv"),),
            chosen=[number for number, (_, row) in enumerate(entries) if row is chosen or number == opened],
            height=theme.look().high(480),
        ),
        name=PICTURE,
        alt=f"{len(points)} variants, {points.front.sum()} of them beaten by none",
        table=points[["label", "family", "x", "y", "front"]],
        on_select=_open,
    )
    st.caption(words_here.PICTURE_CAPTION)
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
    return f"{asked.quality_of(row)}\n{row.bytes / baseline.bytes:.0%} of the bytes, {row.time:.0%} of the time"


def about_front(points: pd.DataFrame) -> str:
    """How many are beaten by none, and of which kinds they are."""
    front = points[points.front]
    counts = front.family.value_counts()
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"**{len(front)} of {len(points)}** variants are beaten by none: {kinds}."


# How it is computed.


def _formula(rows: tuple[Combined, ...], recipe: Recipe) -> None:
    baseline, together = rows[0], row_of(rows, recipe)
    st.markdown(words_here.FORMULA)
    st.latex(r"\textstyle \ell = \frac{q_\mathrm{whole} - q}{q_\mathrm{whole}}")
    alone = [row_of(rows, step).quality_loss(baseline) for step in steps_of(recipe)]
    st.latex(
        " + ".join(f"{loss:.3f}" for loss in alone).replace("+ -", "- ") + rf" = {sum(alone):.3f}" if alone else "0"
    )
    st.latex(rf"\ell_\mathrm{{together}} = {together.quality_loss(baseline):.3f}")
