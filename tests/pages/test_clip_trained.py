"""The page CLIP with its trained networks: what a random one would not give."""

import pytest

from pages.words_and_pictures.clip import compute


@pytest.mark.slow(seconds=5, guard="tests/pages/test_clip.py::test_the_plane_holds_what_it_says")
def test_an_emoji_that_was_held_out_is_far_farther_from_its_name_than_those_that_were_learned():
    plane = compute.space("emoji", 50)
    assert plane.learned > plane.own + 0.2
