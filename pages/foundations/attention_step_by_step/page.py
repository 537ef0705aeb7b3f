"""Attention in eight steps, down to the single multiplication."""

from dashboard import layout
from dashboard.components.step_view import scene, step_view
from pages.foundations.attention_step_by_step import formulas, inputs
from pages.foundations.attention_step_by_step import words as words_steps
from pages.foundations.attention_step_by_step.notices import step_notices

layout.head(words_steps.STEPS)
given = inputs.given()
options = inputs.options(given)

steps = given.compute(**options)
other = given.compute(**{**options, "scale": not options["scale"]})
step_view(
    scene(steps, other, head=given.head, query=given.query, tokens=given.tokens, channels=given.channels),
    name=f"attention-atlas-{given.place}-head-{given.head}",
    present=layout.is_presented(),
)
formulas.download(steps, tokens=given.tokens, name=given.place)
layout.notes(
    words_steps.STEPS,
    notice=step_notices(steps, other, tokens=given.tokens, head=given.head, query=given.query, scale=options["scale"]),
    formula=lambda: formulas.formulas(steps, head=given.head, query=given.query),
)
