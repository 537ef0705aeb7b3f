"""What the page walks through: a machine, and a text or a picture that passes through it."""

import streamlit as st

from dashboard.cache.models import image_model
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, model_name
from dashboard.inputs.photograph import Photograph
from pages.foundations.inside_the_transformer import compute, words
from pages.foundations.inside_the_transformer.compute import Walk

# A hybrid would begin with the many parts of its convolutional network.
PICTURE_MODELS = ("vit-tiny-imagenet", "hybrid-vit")
DECODER, ENCODER, BOTH = "Decoder", "Encoder", "Encoder-decoder"
LONGEST_TYPED = 2000  # characters


def walked_through() -> Walk:
    """The controls for machine and input, and the way through."""
    first, second = layout.control_bar(), layout.control_bar()
    with first:
        machine = controls.choice("Machine", [DECODER, ENCODER, BOTH], key="machine", about=words.MACHINE)
    if machine == ENCODER:
        with second:
            picture = controls.picture()
        with first:
            name = model_name.model("image", offered=PICTURE_MODELS)
            resolution = controls.resolution(image_model(name))
        with layout.waiting_place():
            return compute.walk_picture(Photograph(name, picture, resolution))
    with second:
        text = controls.text()
    controls.examples(example_texts.examples("next-word" if machine == DECODER else "translation"))
    if machine == DECODER:
        with first:
            name = model_name.model("text")
        with layout.waiting_place():
            return compute.walk_text(name, text)
    with second:
        target = st.text_input(
            "French so far",
            key="target",
            bind="query-params",
            max_chars=LONGEST_TYPED,
            placeholder="empty: the model's own translation",
            help=words.TARGET,
        )
    with layout.waiting_place():
        return compute.walk_translation(text, target)
