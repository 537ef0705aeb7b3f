"""The look keeps its promises: zero is the page, steps are even, text can be read, config and code agree."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from dashboard import theme

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())


@pytest.mark.parametrize("name", theme.PALETTES)
def test_streamlit_config_has_the_colours_of_the_palette(name):
    palette, config = theme.PALETTES[name], CONFIG["theme"][name]
    assert config["backgroundColor"] == palette.paper
    assert config["secondaryBackgroundColor"] == palette.raised
    assert config["textColor"] == palette.ink
    assert config["borderColor"] == palette.hair
    assert config["primaryColor"] == palette.accent


@pytest.mark.parametrize("name", theme.PALETTES)
def test_the_scale_starts_at_the_page_and_ends_in_full_ink(name):
    palette = theme.PALETTES[name]
    colours = theme.sequential(palette)
    assert (colours[0], colours[-1]) == (palette.paper, palette.map)
    assert theme.diverging(palette)[16] == palette.paper


@pytest.mark.parametrize("name", theme.PALETTES)
def test_lightness_changes_evenly_along_the_scale(name):
    lightness = [luminance_cube_root(colour) for colour in theme.sequential(theme.PALETTES[name])]
    steps = np.diff(lightness)
    assert (np.sign(steps) == np.sign(steps[0])).all()
    assert steps.std() < 0.12 * abs(steps.mean())


@pytest.mark.parametrize("name", theme.PALETTES)
@pytest.mark.parametrize("colour", ["ink", "soft", "accent", "map"])
def test_text_colours_have_enough_contrast_on_paper(name, colour):
    palette = theme.PALETTES[name]
    assert contrast(getattr(palette, colour), palette.paper) >= 4.5  # WCAG 2.2, 1.4.3


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    srgb = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def luminance_cube_root(colour: str) -> float:
    """CIE lightness, up to a linear map."""
    return luminance(colour) ** (1 / 3)


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
