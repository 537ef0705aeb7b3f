"""What each head of a model does, what is lost without it, and what all of them make together."""

from functools import partial

import streamlit as st

from dashboard import controls, layout, photograph, sections
from dashboard.watched import watch_text
from pages.foundations.many_heads import added_up, measured, silenced, together, words

TEXT, PICTURE = "Text", "Picture"

layout.head(words.HEADS)
with layout.control_bar():
    kind = st.segmented_control("Input", [TEXT, PICTURE], default=TEXT, key="input", bind="query-params", required=True)
    if kind == TEXT:
        text = controls.text()
        run = partial(watch_text, controls.model("text"), text)
    else:
        run = photograph.choose().watched
with layout.waiting_place():
    watched = run()
if kind == TEXT:
    layout.say_what_was_cut(watched.given)
section = sections.chosen(
    {
        "Measured": measured.show,
        "Silenced": partial(silenced.show, run=run),
        "Added up": added_up.show,
        "Taken together": together.show,
    }
)
section(watched)
