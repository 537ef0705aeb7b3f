"""Hidden patches: as many as asked, in the way that was asked; fillings against what they must be in closed form."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from core.models.mae import patches_of
from core.vision.fillings import BILINEAR, FILLINGS, MEAN, NEAREST, fill_bilinearly, nearest_visible
from core.vision.patch_masks import (
    BLOCK,
    GRID,
    RANDOM,
    WAYS,
    error_of,
    errors_of_patches,
    hidden_count,
    hide_patches,
    pixel_mask,
    stripe_hidden_patches,
)


@given(some.sampled_from(WAYS), some.integers(2, 14), some.integers(2, 14), some.floats(0, 1), some.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_as_many_are_hidden_as_the_share_says_and_more_hide_the_same_too(way, rows, columns, share, seed):
    hidden = hide_patches(way, rows, columns, share, seed=seed)
    count = min(rows * columns - 1, max(1, round(share * rows * columns)))
    assert int(hidden.sum()) == count == hidden_count(rows * columns, share)
    more = hide_patches(way, rows, columns, min(1.0, share + 0.2), seed=seed)
    assert (more | ~hidden).all()
    assert torch.equal(hidden, hide_patches(way, rows, columns, share, seed=seed))


@pytest.mark.parametrize("side", [8, 14])
def test_a_grid_of_a_quarter_is_every_second_patch_of_every_second_row_and_of_a_half_a_chessboard(side):
    row, column = np.divmod(np.arange(side * side), side)
    quarter = hide_patches(GRID, side, side, 0.75)
    assert np.array_equal(~quarter.numpy(), (row % 2 == 0) & (column % 2 == 0))
    half = hide_patches(GRID, side, side, 0.5)
    assert np.array_equal(~half.numpy(), (row + column) % 2 == 0)


def test_a_block_is_in_one_piece_and_seeds_move_it():
    blocks = [hide_patches(BLOCK, 8, 8, 0.25, seed=seed).view(8, 8) for seed in range(12)]
    for block in blocks:
        rows, columns = block.nonzero().T
        high, wide = int(rows.max() - rows.min()) + 1, int(columns.max() - columns.min()) + 1
        assert high * wide <= 16 + 2 * max(high, wide)  # a square, whose last rim may be begun
    assert len({tuple(block.flatten().tolist()) for block in blocks}) > 6


def test_an_unknown_way_is_an_error_that_names_the_ways():
    with pytest.raises(ValueError, match="random, block, grid, not 'spiral'"):
        hide_patches("spiral", 8, 8, 0.5)


def test_what_is_covered_is_grey_and_the_rest_is_the_picture():
    picture = np.random.default_rng(0).integers(0, 40, (67, 50, 3)).astype(np.uint8)
    hidden = torch.tensor([True, False, False, True])
    striped = stripe_hidden_patches(picture, hidden, 2, 2)
    changed = (striped != picture).all(axis=2)
    down, across = np.arange(67) * 2 // 67, np.arange(50) * 2 // 50
    assert np.array_equal(changed, (down[:, None] + across[None]) % 2 == 0)


def test_errors_count_what_they_say():
    truth, guess = torch.rand(3, 6, 6), torch.rand(3, 6, 6)
    hidden = torch.tensor([True, False, False, True])
    where = pixel_mask(hidden, 2, 2, 3)
    wanted = (patches_of(guess[None], 3) - patches_of(truth[None], 3))[0][hidden].square().mean()
    assert error_of(guess, truth, where) == pytest.approx(float(wanted), rel=1e-5)
    errors = (patches_of(guess[None], 3) - patches_of(truth[None], 3))[0].square().mean(dim=1).view(2, 2)
    torch.testing.assert_close(errors_of_patches(guess, truth, 3), errors)


@given(some.sampled_from(tuple(FILLINGS)), some.floats(0.1, 0.95), some.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_fillings_keep_what_is_seen_never_look_at_what_is_hidden_and_stay_among_its_colours(name, share, seed):
    picture = torch.rand(3, 16, 16, generator=torch.Generator().manual_seed(seed))
    hidden = hide_patches(RANDOM, 4, 4, share, seed=seed)
    where = pixel_mask(hidden, 4, 4, 4)
    filled = FILLINGS[name](picture, hidden, 4)
    assert torch.equal(filled[:, ~where], picture[:, ~where])
    other = torch.where(where, torch.rand(3, 16, 16), picture)
    torch.testing.assert_close(FILLINGS[name](other, hidden, 4), filled)
    for own, visible in zip(filled, picture[:, ~where], strict=True):
        assert own.min() >= visible.min() - 1e-5
        assert own.max() <= visible.max() + 1e-5


def test_the_mean_colour_is_that_of_what_is_seen():
    picture = torch.zeros(3, 8, 8)
    picture[:, :4, :4], picture[:, :4, 4:], picture[:, 4:] = 0.2, 0.6, 1.0
    filled = FILLINGS[MEAN](picture, torch.tensor([False, False, True, True]), 4)
    torch.testing.assert_close(filled[:, 4:], torch.full((3, 4, 8), 0.4))


def test_the_nearest_patch_is_found_as_by_trying_all():
    hidden = hide_patches(RANDOM, 8, 8, 0.8, seed=3)
    nearest, visible = nearest_visible(hidden).tolist(), (~hidden).nonzero()[:, 0].tolist()
    for place, other in enumerate(nearest):
        gaps = {one: (one // 8 - place // 8) ** 2 + (one % 8 - place % 8) ** 2 for one in visible}
        assert gaps[other] == min(gaps.values())
        assert other == min(one for one in visible if gaps[one] == gaps[other])
    picture = torch.rand(3, 32, 32)
    cut, filled = (patches_of(image[None], 4)[0] for image in (picture, FILLINGS[NEAREST](picture, hidden, 4)))
    assert torch.equal(filled, cut[nearest])


def test_between_visible_pixels_a_ramp_is_a_ramp_again():
    down, across = torch.meshgrid(torch.arange(24.0), torch.arange(24.0), indexing="ij")
    ramp = torch.stack([0.1 + 0.02 * down, 0.9 - 0.03 * across, 0.01 * down + 0.02 * across])
    hidden = torch.zeros(36, dtype=torch.bool)
    hidden[[7, 8, 14, 22, 28]] = True  # none of them at the edge
    torch.testing.assert_close(FILLINGS[BILINEAR](ramp, hidden, 4), ramp)
    edge = torch.zeros(36, dtype=torch.bool)
    edge[torch.arange(0, 36, 6)] = True  # the first column: on one side only is something to be seen
    torch.testing.assert_close(fill_bilinearly(ramp, edge, 4)[:, :, 0], ramp[:, :, 4])


def test_where_row_and_column_show_nothing_the_nearest_patch_is_taken():
    picture, hidden = torch.rand(3, 8, 8), torch.tensor([False, True, True, True])
    torch.testing.assert_close(fill_bilinearly(picture, hidden, 4)[:, 4:, 4:], picture[:, :4, :4])
