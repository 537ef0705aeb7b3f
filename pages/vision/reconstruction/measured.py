"""Measured: errors, bits, and what was learned without labels."""

from dashboard.frame import layout
from dashboard.inputs import controls
from pages.vision.reconstruction import measured_autoencoder, measured_pixels
from pages.vision.reconstruction.prose import PAGE

SECTION = PAGE.section("Measured")


def show() -> None:
    """What was measured of one of both networks."""
    parts = {"masked autoencoder": measured_autoencoder.show, "image-GPT": measured_pixels.show}
    with layout.control_bar():
        show_part = parts[controls.choice("Network", parts, key="measured_of")]
    show_part()
