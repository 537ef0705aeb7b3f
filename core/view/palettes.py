"""Colour palettes, colour scales for weights, and hues of heads, for figures and components."""

from dataclasses import asdict, dataclass
from functools import cache

import numpy as np


@dataclass(frozen=True)
class Palette:
    """The colours of one theme; `.streamlit/config.toml` repeats the first five, and a test compares them."""

    paper: str  # the page, and the weight 0
    raised: str  # fields and cards
    ink: str  # text
    hair: str  # rules and outlines
    accent: str  # selected or pinned elements
    soft: str  # secondary text
    map: str  # the weight 1
    negative: str  # the far end of signed values, below 0
    hues: tuple[str, ...]  # the colour in this theme of each of HUES


# Okabe and Ito (2008), without black and with the yellow last. They name a hue wherever one is chosen: for a head, a
# word, a family of models.
HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442")

LIGHT = Palette(
    paper="#fbfaf7",
    raised="#ffffff",
    ink="#10151f",
    hair="#e3dfd6",
    accent="#9c3a20",
    soft="#5d6675",
    map="#0b4f6c",
    negative="#a6431f",
    # Four of HUES are too pale on paper: darker ones, equally distinguishable with colour vision deficiency.
    hues=("#2445bf", "#ab5138", "#05837e", "#700b77", "#298af2", "#9d8e01", "#434700"),
)
DARK = Palette(
    paper="#11151b",
    raised="#171c24",
    ink="#e9e6df",
    hair="#2a323d",
    accent="#f2a07b",
    soft="#9aa3b2",
    map="#8fd3f4",
    negative="#f5a46c",
    hues=HUES,
)

PALETTES = {"light": LIGHT, "dark": DARK}


def sequential(palette: Palette, steps: int = 33) -> tuple[str, ...]:
    """Colours of the weights 0 to 1, from the colour of the page to `map`, perceptually uniform."""
    return _interpolate((palette.paper, palette.map), steps)


def diverging(palette: Palette, steps: int = 33) -> tuple[str, ...]:
    """Colours of signed values; 0 in the middle has the colour of the page."""
    return _interpolate((palette.negative, palette.paper, palette.map), steps)


def for_browser(*, signed: bool = False) -> dict[str, dict]:
    """Both palettes for components: colours, `ramp` for the values (`signed` or not), and `diverging`."""
    return {
        name: asdict(palette)
        | {"ramp": (diverging if signed else sequential)(palette), "diverging": diverging(palette)}
        for name, palette in PALETTES.items()
    }


@cache
def _interpolate(stops: tuple[str, ...], steps: int) -> tuple[str, ...]:
    """Equal steps in OKLab (Ottosson 2020), where equal distances look equal."""
    lab = np.array([_oklab(stop) for stop in stops])
    positions = np.linspace(0, len(stops) - 1, steps)
    return tuple(
        _hex(np.array([np.interp(position, range(len(stops)), lab[:, axis]) for axis in range(3)]))
        for position in positions
    )


_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(colour: str) -> np.ndarray:
    srgb = np.array([int(colour[position : position + 2], 16) / 255 for position in (1, 3, 5)])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return _TO_LAB @ np.cbrt(_TO_LMS @ linear)


def _hex(lab: np.ndarray) -> str:
    linear = np.linalg.inv(_TO_LMS) @ (np.linalg.inv(_TO_LAB) @ lab) ** 3
    linear = np.clip(linear, 0, 1)
    srgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(float(value) * 255):02x}" for value in srgb)
