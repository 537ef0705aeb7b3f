"""What each head of a model does, what is lost without it, and what all of them make together."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard import typeset
from dashboard.cache.models import image_model
from dashboard.frame import layout, page_head, sections
from dashboard.inputs import controls, example_texts, model_name
from dashboard.inputs.photograph import Photograph
from dashboard.recordings import notices
from dashboard.recordings.watched import Watched, WatchedText, watch_text
from pages.foundations.many_heads import added_up, measured, silenced, together, words

TEXT, PICTURE = "Text", "Picture"
MODEL_WIDTH = 150  # pixels: the row has room for the text, its menus and the settings

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
    row = st.container(horizontal=True, vertical_alignment="bottom")  # its place is the same for both kinds of input
    with layout.settings():
        kind = controls.choice("Input", [TEXT, PICTURE], key="input")
        menu = st.container()
if kind == TEXT:
    with row:
        text = controls.text()
        controls.examples(example_texts.examples("next-word"))
    name = model_name.model("text", width=MODEL_WIDTH, menu=row)
    run = partial(watch_text, name, text)
else:
    with row:
        picture = controls.picture()
    name = model_name.model("image", menu=menu)
    with menu:
        run = Photograph(name, picture, controls.resolution(image_model(name))).watched
with layout.waiting_place():
    watched = run()
if isinstance(watched, WatchedText):
    typeset.show_cut_notice(watched.inputs)
notices.show_unseen(watched.record)
if show is silenced.show:
    show(watched, run=run)
else:
    show(watched)
