"""What the page walks through: a machine, and a text or a picture that passes through it."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import controls, layout
from dashboard.models import image_model
from pages.foundations.inside_the_transformer import compute as inside
from pages.foundations.inside_the_transformer import words as said

DECODER, ENCODER, BOTH = "Decoder", "Encoder", "Encoder-decoder"
LONGEST_TYPED = 2000  # characters


def given() -> inside.Walk:
    """The controls for machine and input, and the way through."""
    first, second = layout.control_bar(), layout.control_bar()
    with first:
        machine = st.segmented_control(
            "Machine",
            [DECODER, ENCODER, BOTH],
            default=DECODER,
            key="machine",
            bind="query-params",
            required=True,
            help=said.MACHINE,
        )
    walk = {DECODER: _text, ENCODER: _picture, BOTH: _pair}[machine](first, second)
    if walk.cut and not layout.is_presented():
        st.info(said.CUT.format(kept=walk.cut.kept, total=walk.cut.total), icon=":material/content_cut:")
    return walk


def _text(first: DeltaGenerator, second: DeltaGenerator) -> inside.Walk:
    with second:
        text = controls.text()
    with first:
        name = controls.model("text")
    with layout.waiting_place():
        return inside.walk_text(name, text)


def _picture(first: DeltaGenerator, second: DeltaGenerator) -> inside.Walk:
    with second:
        picture = controls.picture()
    with first:
        name = controls.model("image")
        resolution = controls.resolution(image_model(name))
    with layout.waiting_place():
        return inside.walk_picture(name, picture, resolution)


def _pair(first: DeltaGenerator, second: DeltaGenerator) -> inside.Walk:  # noqa: ARG001
    with second:
        source = controls.text()
        target = st.text_input(
            "French so far",
            key="target",
            bind="query-params",
            max_chars=LONGEST_TYPED,
            placeholder="empty: the model's own translation",
            help=said.TARGET,
        )
    with layout.waiting_place():
        return inside.walk_translation(source, target)
