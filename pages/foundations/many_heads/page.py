"""What each head of a model does, what is lost without it, and what all of them make together."""

from collections.abc import Callable
from functools import partial

from dashboard import typeset
from dashboard.cache.models import image_model
from dashboard.frame import layout, page_head, sections
from dashboard.inputs import controls, example_texts, model_name
from dashboard.inputs.photograph import Photograph
from dashboard.recordings import notices
from dashboard.recordings.watched import Watched, WatchedText, watch_text
from pages.foundations.many_heads import added_up, measured, silenced, together, words

TEXT, PICTURE = "Text", "Picture"

run: Callable[..., Watched]  # with these heads silenced
page_head.head(words.HEADS)
offered: dict[str, Callable[..., None]] = {
    "Measured": measured.show,
    "Silenced": silenced.show,
    "Added up": added_up.show,
    "Taken together": together.show,
}
show = sections.chosen(offered)
with layout.control_bar():
    kind = controls.choice("Input", [TEXT, PICTURE], key="input")
    if kind == TEXT:
        text = controls.text()
        run = partial(watch_text, model_name.model("text"), text)
    else:
        picture, name = controls.picture(), model_name.model("image")
        run = Photograph(name, picture, controls.resolution(image_model(name))).watched
if kind == TEXT:
    controls.examples(example_texts.examples("next-word"))
with layout.waiting_place():
    watched = run()
if isinstance(watched, WatchedText):
    typeset.show_cut_notice(watched.inputs)
notices.show_unseen(watched.record)
if show is silenced.show:
    show(watched, run=run)
else:
    show(watched)
