"""Measured: errors, bits, and what was learned without labels."""

from dashboard.frame import layout
from dashboard.inputs import controls
from pages.vision.reconstruction import measured_autoencoder, measured_pixels, words


def show() -> None:
    """What was measured of one of both networks."""
    parts = {words.AUTOENCODER: measured_autoencoder.show, words.IMAGE_GPT: measured_pixels.show}
    with layout.control_bar():
        show_part = parts[controls.choice("Network", parts, key="measured_of")]
    show_part()
