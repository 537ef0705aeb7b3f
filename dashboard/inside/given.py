"""What the page walks through: a machine, and a text or a picture that passes through it."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.models.transformer import Norm
from dashboard import controls, layout, runs
from dashboard.runs import inside
from dashboard.words import inside as said

DECODER, ENCODER, BOTH = "Decoder", "Encoder", "Encoder-decoder"
TARGET = "The cat was"
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
    walk = {DECODER: _text, ENCODER: _picture, BOTH: _random}[machine](first, second)
    if machine == BOTH and not layout.is_presented():
        st.info(said.RANDOM, icon=":material/casino:")
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
        resolution = controls.resolution(runs.image_model(name))
    with layout.waiting_place():
        return inside.walk_picture(name, picture, resolution)


def _random(first: DeltaGenerator, second: DeltaGenerator) -> inside.Walk:
    with second:
        source = controls.text()
        target = st.text_input("Target so far", TARGET, key="target", bind="query-params", max_chars=LONGEST_TYPED)
    places: list[Norm] = ["post", "pre"]
    with first:
        norm = st.segmented_control(
            "Norm", places, default="post", key="norm", bind="query-params", required=True, help=said.NORM
        )
    with layout.waiting_place():
        return inside.walk_random(source, target, norm)
