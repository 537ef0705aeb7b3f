"""What the page walks through: a model, and a text or a picture that passes through it."""

from functools import partial

import streamlit as st

from dashboard.cache.models import image_model
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, model_name
from dashboard.inputs.photograph import Photograph
from dashboard.recordings.watched import Text
from pages.foundations.inside_the_transformer import compute
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.prose import PAGE

# A hybrid would begin with the many parts of its convolutional network.
PICTURE_MODELS = ("vit-tiny-imagenet", "hybrid-vit")
DECODER, ENCODER, BOTH = "Decoder", "Encoder", "Encoder-decoder"
MACHINES = (DECODER, ENCODER, BOTH)
KINDS_TEXT = example_texts.opening("three-kinds")
OPENINGS = (controls.FIRST_TEXT, KINDS_TEXT)  # what stands in a section before anybody has typed
LONGEST_TYPED = 2000  # characters
NARROW, WIDE = 165, 190  # pixels: the names of the machines and of the models


def walked_through() -> Walk:
    """The controls for architecture, input and model; the way through, and a remark where the text was cut."""
    with layout.control_bar():
        machine = controls.menu("Architecture", MACHINES, key="machine", width=NARROW, help=PAGE.text("Architecture"))
        if machine == ENCODER:
            picture = controls.picture()
            name = model_name.model("image", offered=PICTURE_MODELS, width=WIDE)
            with layout.settings():
                resolution = controls.resolution(image_model(name))
            walk = partial(compute.walk_picture, Photograph(name, picture, resolution))
        elif machine == DECODER:
            text = own_text(controls.FIRST_TEXT)
            controls.examples(example_texts.examples("next-word"))
            walk = partial(compute.walk_text, model_name.model("text", width=WIDE), text)
        else:
            text = own_text(controls.FIRST_TEXT)
            controls.examples(example_texts.examples("translation"))
            with layout.settings():
                target = _target()
            walk = partial(compute.walk_translation, text, target)
    with layout.waiting_place():
        way = walk()
    if way.cut:
        layout.caption(PAGE.text("Cut text", tokens=way.cut.length, total=way.cut.total))
    return way


def own_text(first: str) -> Text:
    """The control for the visitor's text; `first`, the opening of the section, replaces that of another section."""
    if st.session_state.get("text") in OPENINGS and "text" not in st.query_params:
        st.session_state.text = first
    return controls.text(first=first)


def _target() -> str:
    return st.text_input(
        "French so far",
        key="target",
        bind="query-params",
        max_chars=LONGEST_TYPED,
        placeholder="empty: the model's own translation",
        help=PAGE.text("French so far"),
    )
