"""Maps against the pixels that a word means: closed forms, and what chance gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attribution.pointing_game import centre, over_pixels, points_inside, share_inside
from core.scenes.draw import mask
from core.scenes.things import Thing

GRIDS = arrays(float, (8, 8), elements=st.floats(0, 1))
MASKS = st.builds(
    lambda row, column: mask(Thing("circle", "red", "large", "plain", row, column)),
    st.integers(13, 51),
    st.integers(13, 51),
)


@given(GRIDS)
def test_patches_spread_their_values_and_nothing_is_lost(grid):
    pixels = over_pixels(grid, 64)
    assert pixels.sum() == pytest.approx(grid.sum())
    assert pixels[17, 30] == pytest.approx(grid[2, 3] / 64)


@given(MASKS)
def test_the_mask_itself_is_a_perfect_map_and_an_even_one_is_its_area(region):
    assert points_inside(region.astype(float), region) == share_inside(region.astype(float), region) == 1.0
    even = np.ones((64, 64))
    assert points_inside(even, region) == share_inside(even, region) == pytest.approx(region.mean())
    assert points_inside(1.0 - region, region) == share_inside(1.0 - region, region) == 0.0


@given(GRIDS, MASKS)
def test_the_share_is_a_share_and_scales_away(grid, region):
    pixels = over_pixels(grid, 64)
    share = share_inside(pixels, region)
    if grid.max() < 1e-200:
        return
    assert 0 <= share <= 1
    assert share_inside(3 * pixels, region) == pytest.approx(share)
    assert share + share_inside(pixels, ~region) == pytest.approx(1.0)
    assert share_inside(np.where(pixels > 0, pixels, -1.0), region) == pytest.approx(share)


def test_without_a_mask_or_a_map_there_is_no_score():
    nothing = np.zeros((4, 4))
    assert np.isnan(points_inside(np.ones((4, 4)), nothing > 0))
    assert np.isnan(share_inside(nothing, np.ones((4, 4), dtype=bool)))


def test_the_middle_is_brightest_and_sizes_must_fit():
    centre_map = centre(64)
    assert {tuple(place) for place in np.argwhere(centre_map == centre_map.max())} == {
        (31, 31),
        (31, 32),
        (32, 31),
        (32, 32),
    }
    with pytest.raises(ValueError, match="8 x 8 patches does not fit 60"):
        over_pixels(np.ones((8, 8)), 60)
