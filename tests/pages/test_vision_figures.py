"""Tiles, matrices, maps over photographs, curves beside chance, and means with their errors: pure functions."""

import base64
import io
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image

from dashboard.figures.faithfulness import RANDOM, faithfulness_curves
from dashboard.figures.pictures import picture_tiles
from dashboard.theme import DARK, LIGHT, Look
from pages.vision.vision_transformer.figures import (
    Matrix,
    as_pictures,
    matrices,
    over_photograph,
    pale,
    photograph_alone,
)
from pages.vision.vision_transformer.figures_measured import (
    Mark,
    Row,
    means,
    quality_marks,
)

PHOTOGRAPH = np.full((40, 60, 3), (200, 100, 50), dtype=np.uint8)
MAP = np.array([[0.0, 0.5, 1.0], [0.25, 0.0, 2.0]])


def test_filters_become_pictures_around_grey():
    filters = np.zeros((2, 3, 2, 2))
    filters[0, 0, 0, 1], filters[0, 2, 1, 0] = 4.0, -4.0
    pictures = as_pictures(filters)
    assert pictures.shape == (2, 2, 2, 3)
    assert pictures[0, 0, 1].tolist() == [255, 128, 128]
    assert pictures[0, 1, 0].tolist() == [128, 128, 0]
    assert (pictures[1] == 128).all()


def test_each_tile_holds_its_own_picture_and_title():
    pictures = np.random.default_rng(0).integers(0, 256, (3, 4, 5, 3), dtype=np.uint8)
    figure = picture_tiles(pictures, ["one", "<b>", "three"], columns=2, look=Look(LIGHT))
    source = unquote(figure.layout.images[0].source).partition("base64,")[2].partition("'")[0]
    with Image.open(io.BytesIO(base64.b64decode(source))) as image:
        sheet = np.array(image)
    for written, picture in zip(figure.layout.annotations, pictures, strict=True):
        tile = sheet[written.y :, written.x :][:64:16, :80:16]  # each pixel is 16 dots wide and high
        np.testing.assert_array_equal(tile, np.dstack([picture, np.full((4, 5), 255)]))
    assert (sheet[..., 3] == 255).sum() == 3 * 64 * 80
    assert [annotation.text for annotation in figure.layout.annotations] == ["one", "&lt;b&gt;", "three"]
    with pytest.raises(ValueError, match="1 titles do not fit 3 pictures"):
        picture_tiles(pictures, ["one"], columns=2, look=Look(LIGHT))


def test_a_matrix_is_drawn_around_the_page_and_a_row_is_framed():
    values = np.array([[0.0, 1.0], [-1.0, 0.0]])
    figure = matrices([Matrix("a", "2 × 2", values, marked=1), Matrix("b", "2 × 2", values)], look=Look(LIGHT))
    source = unquote(figure.layout.images[0].source).partition("base64,")[2].partition("'")[0]
    with Image.open(io.BytesIO(base64.b64decode(source))) as image:
        pixels = np.array(image.convert("RGB"))
    high, wide, _ = pixels.shape

    def hexadecimal(row: int, column: int) -> str:
        return "#" + "".join(f"{part:02x}" for part in pixels[row * (high // 2), column * (wide // 2)])

    assert hexadecimal(0, 0) == hexadecimal(1, 1) == LIGHT.paper
    assert hexadecimal(0, 1) == LIGHT.map
    assert hexadecimal(1, 0) == LIGHT.negative
    framed = [shape for shape in figure.layout.shapes if shape.line.color == LIGHT.accent]
    assert len(framed) == 1
    assert framed[0].y0 < framed[0].y1 < 0.6


def over(*, show_photograph=True, palette=LIGHT):
    return over_photograph(
        MAP, PHOTOGRAPH, show_photograph=show_photograph, title="<b>A map", look=Look(palette), tell="%{z}"
    )


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_zero_over_a_photograph_is_the_photograph_and_without_it_the_page(palette):
    assert over(palette=palette).data[0].colorscale[0][1].endswith(", 0)")
    assert over(show_photograph=False, palette=palette).data[0].colorscale[0][1] == palette.paper
    assert len(over(palette=palette).layout.images) == 1
    assert not over(show_photograph=False, palette=palette).layout.images


def test_cells_lie_where_their_patches_are():
    heat = over().data[0]
    assert list(heat.x) == [10, 30, 50]
    assert list(heat.y) == [10, 30]
    assert tuple(over().layout.yaxis.range) == (40, 0)


def test_the_scale_of_a_map_is_written_above_it_and_names_are_text():
    figure = over()
    assert (figure.data[0].zmin, figure.data[0].zmax) == (0, 2)
    assert figure.layout.annotations[0].text == "<b>&lt;b&gt;A map</b><br>0 to 2"


def test_a_map_of_zeros_says_so():
    figure = over_photograph(np.zeros((2, 2)), PHOTOGRAPH, show_photograph=True, title="", look=Look(LIGHT), tell="")
    assert "0 everywhere" in figure.layout.annotations[0].text


def test_the_photograph_below_a_map_is_grey_and_half_faded_into_the_page():
    below = pale(PHOTOGRAPH, Look(LIGHT))
    grey = 0.299 * 200 + 0.587 * 100 + 0.114 * 50
    assert below[0, 0].tolist() == [round((grey + part) / 2) for part in (0xFB, 0xFA, 0xF7)]


def test_the_pixels_of_a_small_picture_are_enlarged_and_not_smoothed():
    small = np.zeros((4, 4, 3), dtype=np.uint8)
    small[:, 2:] = 255
    figure = photograph_alone(small, title="seen", about="", look=Look(LIGHT))
    file = base64.b64decode(figure.layout.images[0].source.split(",")[1])
    columns = np.asarray(Image.open(io.BytesIO(file)).convert("L")).mean(axis=0)
    assert len(columns) == 560
    assert columns[:276].max() < 12
    assert columns[284:].min() > 243


def test_areas_stand_in_the_legend_and_chance_is_a_dotted_line_in_a_band():
    shares, lines = np.array([0.0, 0.5, 1.0]), {"a": np.array([0.9, 0.1, 0.0]), RANDOM: np.array([0.9, 0.5, 0.0])}
    figure = faithfulness_curves(
        shares,
        lines,
        {"a": 0.275, RANDOM: 0.475},
        (lines[RANDOM] - 0.1, lines[RANDOM] + 0.1),
        hues={"a": "#0072b2"},
        look=Look(LIGHT),
        x="",
        y="",
    )
    band, first, chance = figure.data
    assert (first.name, chance.name) == ("a: 0.275", "at random: 0.475")
    assert (first.line.color, chance.line.dash) == (LIGHT.hues[0], "dot")
    assert list(band.y) == pytest.approx([1.0, 0.6, 0.1, -0.1, 0.4, 0.8])


def test_each_model_is_a_mark_with_its_standard_error():
    marks = [Mark("one", 300, 0.5, 0.01), Mark("two", 600, 0.6, 0.02)]
    figure = quality_marks(marks, hues={"one": "#000", "two": "#111"}, look=Look(LIGHT), x="", y="", tell="%{text}")
    assert [trace.error_y.array[0] for trace in figure.data] == [0.01, 0.02]
    low, high = figure.layout.yaxis.range
    assert low < 0.49
    assert high > 0.62
    assert figure.layout.xaxis.range[0] == 0


def test_means_stand_in_the_row_of_their_name_and_headings_have_none():
    rows = [Row("model"), Row("a", ((0.2, 0.01), (0.5, 0.02)), "#000"), Row("b", ((0.3, 0.01), (0.4, 0.02)), "#111")]
    figure = means(rows, ("first", "second"), look=Look(LIGHT))
    assert [(trace.x[0], trace.y[0], trace.xaxis) for trace in figure.data] == [
        (0.2, 1, "x"),
        (0.3, 2, "x"),
        (0.5, 1, "x2"),
        (0.4, 2, "x2"),
    ]
    assert figure.layout.yaxis.ticktext[0] == "<b>model</b>"
    assert figure.layout.xaxis2.range[1] > 0.52
