"""Measured: whether pictures hold what was said, for one of both networks."""

from dashboard.frame import layout
from dashboard.inputs import controls
from pages.words_and_pictures.generation import measured_drawn, measured_painted
from pages.words_and_pictures.generation.inputs import DALLE, PAINTER
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Measured")


def show() -> None:
    """What was measured of one of both networks."""
    parts = {DALLE: measured_drawn.show, PAINTER: measured_painted.show}
    bar = layout.control_bar()
    with bar:
        network = controls.choice("Model", parts, key="measured_of")
    parts[network](bar)
