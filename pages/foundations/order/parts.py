"""The five things to look at; only the chosen one is computed."""

from collections.abc import Callable

from pages.foundations.order import beyond, inputs, learned, relative, shuffle, waves

PARTS: dict[str, Callable[[], None]] = {
    "Shuffle": shuffle.show,
    "Waves": waves.show,
    "Learned": learned.show,
    "Relative": relative.show,
    "Beyond training": beyond.show,
}


def chosen() -> Callable[[], None]:
    """What shows the part that the visitor has chosen."""
    return PARTS[inputs.choice("What to look at", list(PARTS), key="show")]
