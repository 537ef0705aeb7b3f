"""Words beside a picture: what is sent is what was given, and what does not fit is refused."""

import base64

import numpy as np
import pytest

from core.attribution.pointing_game import over_pixels, points_inside, share_inside
from core.view import codec
from dashboard.components.word_maps import MappedWord, WordMap, WordScene

PICTURE = np.zeros((64, 64, 3), dtype=np.uint8)
VALUES = np.random.default_rng(0).random((2, 64)).astype(np.float32)
WORDS = (MappedWord("red"), MappedWord("star", bar=0.5))


def scene(**more):
    return WordScene(PICTURE, (8, 8), WORDS, (WordMap("attention", VALUES),), **more)


def test_values_come_back_as_they_were():
    (sent,) = scene().packed["maps"]

    read = codec.read(base64.b64decode(sent["values"]), "half") * sent["largest"]
    assert read.reshape(2, 64) == pytest.approx(VALUES, abs=1e-3)


def test_tiny_gradients_are_sent_as_finely_as_weights():
    (sent,) = WordScene(PICTURE, (8, 8), WORDS, (WordMap("gradient", VALUES * 1e-9),)).packed["maps"]

    read = codec.read(base64.b64decode(sent["values"]), "half") * sent["largest"]
    assert read.reshape(2, 64) == pytest.approx(VALUES * 1e-9, rel=2e-3, abs=1e-12)


def test_masks_are_sent_bit_by_bit():

    mask = np.random.default_rng(1).random((64, 64)) > 0.7
    word = WordScene(PICTURE, (8, 8), (MappedWord("red", mask=mask),), (WordMap("a", VALUES[:1]),)).packed["words"][0]
    bits = np.unpackbits(np.frombuffer(base64.b64decode(word["mask"]["bits"]), dtype=np.uint8))
    assert (bits.reshape(64, 64).astype(bool) == mask).all()


def test_numbers_that_are_none_are_nothing():
    values = VALUES.copy()
    values[0, 0] = np.nan
    assert WordScene(PICTURE, (8, 8), WORDS, (WordMap("a", values),)).packed["maps"][0]["largest"] <= 1


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"words": ()}, "at least one word"),
        ({"maps": ()}, "at least one word and one map"),
        ({"maps": (WordMap("a", VALUES[:1]),)}, r"shape \(1, 64\); its words need \(2, 64\)"),
        ({"maps": (WordMap("a", VALUES), WordMap("a", VALUES))}, "a name of its own"),
        ({"start": 2}, "no word 2"),
        ({"first": 1}, "no map 1"),
    ],
)
def test_what_does_not_fit_is_refused(more, sentence):
    arguments = {"picture": PICTURE, "grid": (8, 8), "words": WORDS, "maps": (WordMap("a", VALUES),)} | more
    with pytest.raises(ValueError, match=sentence):
        WordScene(**arguments)


def test_a_place_that_is_partly_inside_counts_in_part():
    """What reading.js says of a place is what the table counts."""
    mask = np.zeros((64, 64), dtype=bool)
    mask[:8, :4] = True
    grid = np.zeros((8, 8))
    grid[0, 0], grid[0, 1] = 3.0, 1.0
    pixels = over_pixels(grid, 64)
    assert points_inside(pixels, mask) == 0.5
    assert share_inside(pixels, mask) == pytest.approx(3 * 0.5 / 4)
