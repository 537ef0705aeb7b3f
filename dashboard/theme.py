"""The look, in one place: the palettes of `core/view` and what figures on pages need beside them."""

from dataclasses import dataclass, replace

import numpy as np

from core.view.palettes import DARK, HUES, LIGHT, PALETTES, Palette, diverging, for_browser, sequential

__all__ = [
    "DARK",
    "HUES",
    "LETTERS",
    "LIGHT",
    "PALETTES",
    "Look",
    "Palette",
    "colorscale",
    "diverging",
    "for_browser",
    "sequential",
]


@dataclass(frozen=True)
class Look:
    """How figures look to a visitor: colours, the size of letters in pixels, and whether they stand on a projector."""

    palette: Palette
    letters: int = 14
    presented: bool = False

    def sized(self, more: int) -> "Look":
        """The same with letters that are `more` pixels larger, or smaller if it is negative."""
        return replace(self, letters=self.letters + more)

    def high(self, pixels: int) -> int:
        """The height of a figure that has so many pixels on a page: a quarter more on a projector."""
        return round(1.25 * pixels) if self.presented else pixels

    def drawn(self, colour: str) -> str:
        """What a hue is drawn in on this paper; any other colour is drawn as it is."""
        return self.palette.hues[HUES.index(colour)] if colour in HUES else colour


LETTERS = '"Source Sans", sans-serif'  # what Streamlit sets where .streamlit/config.toml says sans-serif


def colorscale(colours: tuple[str, ...]) -> list[list]:
    """The same colours as Plotly wants them."""
    return [[position, colour] for position, colour in zip(np.linspace(0, 1, len(colours)), colours, strict=True)]
