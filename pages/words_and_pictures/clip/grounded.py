"""The right region?: the table over a thousand scenes."""

from dashboard.frame import layout
from dashboard.output import pointing_game
from pages.words_and_pictures.clip.prose import PAGE

SECTION = PAGE.section("The right region?")
TITLES = {"clip/scenes": "CLIP"}


def show() -> None:
    """The figure and what is to be noticed in it."""
    noticed = pointing_game.show("clip/", TITLES, name="clip-grounding")
    layout.notes(SECTION, notice=noticed, formula=pointing_game.formula)
