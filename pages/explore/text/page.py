"""Who listens to whom, in one's own text: every head of a model."""

from dashboard import contents, controls, layout, naming, texts
from dashboard.explore import explore
from dashboard.watched import watch_text
from pages.explore.text import words

layout.head(words.TEXT)
controls.examples(texts.TO_GO_ON)
with layout.control_bar():
    text = controls.text()
    name = naming.model("text")

with layout.waiting_place():
    plain = watch_text(name, text)
layout.say_what_was_cut(plain.given)
explore(plain, lambda heads: watch_text(name, text, heads), words.TEXT, apart=contents.step_by_step(name, text))
if not layout.is_presented():
    with layout.control_bar():
        contents.NEXT_WORD.link("Next word: let a GPT go on with a text")
        contents.MISSING_WORD.link("Missing word: hide words from a BERT")
