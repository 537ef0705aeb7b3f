"""Who listens to whom, in one's own text: every head of a model."""

from dashboard import contents, theme, typeset
from dashboard.frame import layout, page_head
from dashboard.inputs import controls, example_texts, model_name
from dashboard.output.explore import explore
from dashboard.recordings.watched import watch_text
from pages.explore.text.prose import PAGE

page_head.head(PAGE)
with layout.control_bar():
    text = controls.text()
    controls.examples(example_texts.examples("next-word"))
    name = model_name.model("text")

with layout.waiting_place():
    plain = watch_text(name, text)
typeset.show_cut_notice(plain.inputs)
explore(plain, lambda heads: watch_text(name, text, heads), PAGE, apart=contents.step_by_step(name, text))
if not theme.is_presented():
    with layout.control_bar():
        contents.NEXT_WORD.link("Next word (GPT): let a GPT go on with a text")
        contents.MISSING_WORD.link("Masked words (BERT): hide words from a BERT")
