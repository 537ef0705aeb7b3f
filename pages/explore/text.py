"""Who listens to whom, in one's own text: every head of a model."""

from dashboard import controls, layout, runs, words
from dashboard.explore import explore
from dashboard.steps import inputs

layout.head(words.TEXT)
with layout.control_bar():
    text = controls.text()
    name = controls.model("text")

with layout.waiting_place():
    plain = runs.watch_text(name, text)
layout.say_what_was_cut(plain.given)
explore(plain, lambda heads: runs.watch_text(name, text, heads), words.TEXT, apart=inputs.address(name, text))
