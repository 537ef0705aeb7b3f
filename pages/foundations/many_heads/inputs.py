"""The row of Many heads: a text or a picture, and the model that reads it."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard import typeset
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, model_name, photograph
from dashboard.recordings import notices
from dashboard.recordings.watched import Watched, WatchedText, watch_text

TEXT, PICTURE = "Text", "Picture"
MODEL_WIDTH = 150  # pixels: the row has room for the text, its menus and the settings


def choose() -> Callable[..., Watched]:
    """Draw the row, and return what runs the chosen model on the chosen input, with the given heads ablated."""
    with layout.control_bar():
        # Its place is the same for both kinds of input.
        row = st.container(horizontal=True, vertical_alignment="bottom")
        with layout.settings():
            kind = controls.choice("Input", [TEXT, PICTURE], key="input")
            menu = st.container()
    if kind == TEXT:
        with row:
            text = controls.text()
            controls.examples(example_texts.examples("next-word"))
        name = model_name.model("text", width=MODEL_WIDTH, menu=row)
        return partial(watch_text, name, text)
    with row:
        return photograph.choose_in_bar(models_in=menu, patches_in=menu).watched


def watch(run: Callable[..., Watched]) -> Watched:
    """Run the model with all its heads, and say where the text was cut and what was not recorded."""
    with layout.waiting_place():
        watched = run()
    if isinstance(watched, WatchedText):
        typeset.show_cut_notice(watched.inputs)
    notices.show_unseen(watched.record)
    return watched
