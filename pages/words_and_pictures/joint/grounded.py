"""The right region?: the table over a thousand scenes, two streams beside one."""

from core.zoo.joint import JOINT
from dashboard.frame import layout
from dashboard.output import pointing_game
from pages.words_and_pictures.joint.prose import PAGE

SECTION = PAGE.section("The right region?")
TITLES = {f"vilbert/{name}": title for name, title in JOINT.items()}


def show() -> None:
    """The figure and what is to be noticed in it."""
    noticed = pointing_game.show("vilbert/", TITLES, name="joint-grounding")
    layout.notes(SECTION, notice=noticed, formula=pointing_game.formula)
