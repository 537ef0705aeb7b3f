"""Sizes, with the notes of the page below them."""

from dashboard import layout
from pages.foundations.inside_the_transformer import formulas, sizes
from pages.foundations.inside_the_transformer import words as words_inside
from pages.foundations.inside_the_transformer.compute import Walk


def show(walk: Walk) -> None:
    """How large each part is, and how much it works."""
    layout.notes(words_inside.INSIDE, notice=sizes.show(walk), formula=formulas.sizes)
