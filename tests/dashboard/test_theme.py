"""The look keeps its promises: zero is the page, steps are even, text can be read, config and code agree."""

import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from core.view import palettes
from dashboard import theme
from dashboard.figures.paper import on_paper

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
@pytest.mark.parametrize("colour", ["ink", "soft", "accent", "map", "negative"])
def test_text_colours_have_enough_contrast_on_paper(name, colour):
    palette = theme.PALETTES[name]
    for behind in (palette.paper, palette.raised):
        assert contrast(getattr(palette, colour), behind) >= 4.5  # WCAG 2.2, 1.4.3


@pytest.mark.parametrize("name", theme.PALETTES)
def test_text_can_be_read_where_streamlit_fades_or_tints_it(name):
    palette, config = theme.PALETTES[name], CONFIG["theme"][name]
    assert contrast(mixed(palette.ink, palette.paper, 0.6), palette.paper) >= 4.5  # captions
    assert contrast(palette.accent, mixed(palette.accent, palette.paper, 0.2)) >= 4.5  # a chosen button with the focus
    for own in ("linkColor", "codeTextColor"):
        assert contrast(config[own], palette.paper) >= 4.5
    assert contrast(mixed(config["codeTextColor"], palette.paper, 0.6), palette.paper) >= 4.5


@pytest.mark.parametrize("name", theme.PALETTES)
def test_every_hue_can_be_seen_on_its_paper(name):
    palette = theme.PALETTES[name]
    for hue in palette.hues:
        for behind in (palette.paper, palette.raised):
            assert contrast(hue, behind) >= 3, hue  # WCAG 2.2, 1.4.11


@pytest.mark.parametrize("seen_by", ["everybody", "protanopes", "deuteranopes", "tritanopes"])
def test_hues_on_light_paper_are_as_far_apart_as_those_of_okabe_and_ito(seen_by):
    assert closest(theme.LIGHT.hues, seen_by) >= closest(theme.HUES, seen_by)


@pytest.mark.parametrize("name", theme.PALETTES)
def test_a_figure_draws_each_hue_as_its_paper_shows_it_and_leaves_other_colours(name):
    look = theme.Look(theme.PALETTES[name])
    bars = go.Bar(x=[1, 2], y=[1, 1], marker={"color": [theme.HUES[6], "#123456"]})
    line = go.Scatter(x=[1, 2], y=[1, 2], line={"color": theme.HUES[4]}, marker={"color": [1.0, 2.0]})
    figure = go.Figure([bars, line]).add_annotation(text="here", bordercolor=theme.HUES[1])
    on_paper(figure, look=look, height=100)
    assert list(figure.data[0].marker.color) == [look.palette.hues[6], "#123456"]
    assert figure.data[1].line.color == look.palette.hues[4]
    assert list(figure.data[1].marker.color) == [1.0, 2.0]
    assert figure.layout.annotations[0].bordercolor == look.palette.hues[1]


# What the light of a display is to an eye that lacks one kind of cone: Machado, Oliveira and Fernandes 2009, table 1.
SEEN = {
    "everybody": np.eye(3),
    "protanopes": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopes": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopes": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def closest(hues: tuple[str, ...], seen_by: str) -> float:
    """The smallest distance between two of the hues in OKLab, as seen by some."""
    lab = [
        palettes._TO_LAB @ np.cbrt(palettes._TO_LMS @ np.clip(np.array(SEEN[seen_by]) @ linear(hue), 0, 1))
        for hue in hues
    ]
    return min(float(np.linalg.norm(one - other)) for one, other in combinations(lab, 2))


def mixed(colour: str, behind: str, share: float) -> str:
    """A colour of which only a share covers what is behind it."""
    parts = [(int(colour[at : at + 2], 16), int(behind[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * own + (1 - share) * other):02x}" for own, other in parts)


def linear(colour: str) -> np.ndarray:
    srgb = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def luminance_cube_root(colour: str) -> float:
    """CIE lightness, up to a linear map."""
    return luminance(colour) ** (1 / 3)


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
