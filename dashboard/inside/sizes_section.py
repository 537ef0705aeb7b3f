"""Sizes, with the notes of the page below them."""

from dashboard import layout, words
from dashboard.inside import formulas, sizes
from dashboard.runs.inside import Walk


def show(walk: Walk) -> None:
    """How large each part is, and how much it works."""
    layout.notes(words.INSIDE, notice=sizes.show(walk), formula=formulas.sizes)
