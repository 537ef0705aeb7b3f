import base64
import io

import numpy as np
import pytest
from pages.vision.vision_transformer.figures_matrices import Matrix, matrices
from pages.vision.vision_transformer.figures_picture_tiles import as_pictures, picture_tiles
from PIL import Image

from dashboard.theme import LIGHT, Look


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
    source = figure.layout.images[0].source.partition("base64,")[2]
    with Image.open(io.BytesIO(base64.b64decode(source))) as image:
        sheet = np.array(image)
    for written, picture in zip(figure.layout.annotations, pictures, strict=True):
        tile = sheet[written.y :, written.x :][:64:16, :80:16]  # each pixel is 16 dots wide and high
        np.testing.assert_array_equal(tile, np.dstack([picture, np.full((4, 5), 255)]))
    assert (sheet[..., 3] == 255).sum() == 3 * 64 * 80
    assert [each.text for each in figure.layout.annotations] == ["one", "&lt;b&gt;", "three"]
    with pytest.raises(ValueError, match="1 titles do not fit 3 pictures"):
        picture_tiles(pictures, ["one"], columns=2, look=Look(LIGHT))


def test_a_matrix_is_drawn_around_the_page_and_a_row_is_framed():
    values = np.array([[0.0, 1.0], [-1.0, 0.0]])
    figure = matrices([Matrix("a", "2 × 2", values, marked=1), Matrix("b", "2 × 2", values)], look=Look(LIGHT))
    source = figure.layout.images[0].source.partition("base64,")[2]
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
