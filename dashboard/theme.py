"""The theme: the palettes of `core/view`, and the settings of figures on pages."""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.view.palettes import DARK, HUES, LIGHT, PALETTES, Palette, diverging, for_browser, sequential

__all__ = [
    "DARK",
    "HUES",
    "LETTERS",
    "LIGHT",
    "PALETTES",
    "PRESENT",
    "PROSE",
    "Look",
    "Palette",
    "colorscale",
    "diverging",
    "for_browser",
    "is_presented",
    "look",
    "sequential",
]


@dataclass(frozen=True)
class Look:
    """The style of figures: colours, the size of letters in pixels, and whether they are on a projector."""

    palette: Palette
    letters: int = 14
    presented: bool = False

    def sized(self, more: int) -> "Look":
        """A copy with letters that are `more` pixels larger (smaller if negative)."""
        return replace(self, letters=self.letters + more)

    def high(self, pixels: int) -> int:
        """The height of a figure that has so many pixels on a page: a quarter more on a projector."""
        return round(1.25 * pixels) if self.presented else pixels

    def themed(self, colour: str) -> str:
        """The shade of a hue in this palette; any other colour unchanged."""
        return self.palette.hues[HUES.index(colour)] if colour in HUES else colour


PROSE = 640  # pixels: about 70 characters of the text's size
PRESENT = "present"  # in the address: "1" is the projector's view
LETTERS = '"Source Sans", sans-serif'  # what Streamlit sets where .streamlit/config.toml says sans-serif


def colorscale(colours: tuple[str, ...]) -> list[list]:
    """The colours as a colour scale of Plotly."""
    return [[position, colour] for position, colour in zip(np.linspace(0, 1, len(colours)), colours, strict=True)]


def is_presented() -> bool:
    """Whether the address asks for the projector's view (`?present=1`): no chrome, larger, high contrast."""
    return st.query_params.get(PRESENT) == "1"


def look() -> Look:
    """The look for this visitor: the colours of the browser's theme, and letters for a page or a projector."""
    colours = PALETTES["dark" if st.context.theme.type == "dark" else "light"]
    presented = is_presented()
    return Look(colours, letters=20 if presented else 14, presented=presented)
