"""Measured: whether pictures hold what was said, for one of both networks."""

from dashboard.inputs import controls
from pages.words_and_pictures.generation import measured_drawn, measured_painted, words


def show() -> None:
    """What was measured of one of both networks."""
    parts = {words.DALLE: measured_drawn.show, words.NETWORK: measured_painted.show}
    parts[controls.choice("Network", parts, key="measured_of")]()
