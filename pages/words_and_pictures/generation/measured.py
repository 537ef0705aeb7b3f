"""Measured: whether pictures hold what was said, for one of both networks."""

from dashboard.frame import layout
from dashboard.inputs import controls
from pages.words_and_pictures.generation import measured_drawn, measured_painted, words


def show() -> None:
    """What was measured of one of both networks."""
    parts = {words.DALLE: measured_drawn.show, words.NETWORK: measured_painted.show}
    bar = layout.control_bar()
    with bar:
        network = controls.choice("Model", parts, key="measured_of")
    parts[network](bar)
