"""Deletion and insertion of models whose answer is known."""

import math

import pytest
import torch

from core.attribution.deletion_curves import counts_of, random_mean, random_orders
from core.attribution.patch_deletion import blur, first_patches, measure, on_grid, order_of

SIDE, GRID = 16, (4, 4)
PLACE = 6  # the patch that the model reads: row 1, column 2


def reads_one_patch(pictures):
    """Probability: how much of the patch in row 1, column 2 is as bright as 1."""
    return pictures[:, :, 4:8, 8:12].mean(dim=(1, 2, 3))


def bright():
    """A picture whose blurred copy is the same everywhere but bright nowhere: 1 in one patch, -1/15 in the others."""
    picture = torch.zeros(1, 3, SIDE, SIDE)
    picture[:, :, 4:8, 8:12] = 1.0
    return picture


def order_with_patch_at(place):
    others = [patch for patch in range(16) if patch != PLACE]
    return torch.tensor([*others[:place], PLACE, *others[place:]])


@pytest.mark.parametrize("place", [0, 5, 15])
def test_a_model_that_reads_one_patch_has_the_areas_of_closed_form(place):
    picture = bright()
    measured = measure(reads_one_patch, picture, {"": order_with_patch_at(place)}, GRID, steps=16)[""]
    vague = reads_one_patch(blur(picture)).item()
    # Deletion is 1 for the `place` + 1 first points and 0 after them; insertion the other way round.
    assert measured.deletion_area == pytest.approx((place + 0.5) / 16)
    assert measured.insertion_area == pytest.approx((vague * (place + 0.5) + (15.5 - place)) / 16)
    assert torch.equal(measured.shares, torch.arange(17) / 16)


def test_the_right_order_has_the_smallest_deletion_and_the_largest_insertion_area():
    scores = torch.zeros(GRID)
    scores[1, 2] = 1.0
    orders = {"right": order_of(scores, GRID), "wrong": order_of(-scores, GRID)}
    orders |= {str(draw): order for draw, order in enumerate(random_orders(16, 6))}
    measured = measure(reads_one_patch, bright(), orders, GRID, steps=16)
    assert min(measured, key=lambda name: measured[name].deletion_area) == "right"
    assert max(measured, key=lambda name: measured[name].insertion_area) == "right"
    assert max(measured, key=lambda name: measured[name].deletion_area) == "wrong"
    middle = random_mean([measured[str(draw)] for draw in range(6)])
    assert middle.deletion_area == pytest.approx(sum(measured[str(draw)].deletion_area for draw in range(6)) / 6)


def test_curves_are_those_of_pictures_made_one_patch_at_a_time():
    generator = torch.Generator().manual_seed(2)
    picture = torch.randn(1, 3, 20, 12, generator=generator)
    weights = torch.randn(3, 20, 12, generator=generator)
    grid, order = (5, 3), torch.randperm(15, generator=generator)

    def classify(pictures):
        return (pictures * weights).sum(dim=(1, 2, 3)).sigmoid()

    measured = measure(classify, picture, {"any": order}, grid, steps=15)["any"]
    left, put = picture.clone(), blur(picture)
    for step in range(16):
        assert measured.deletion[step].item() == pytest.approx(classify(left).item(), abs=1e-5)
        assert measured.insertion[step].item() == pytest.approx(classify(put).item(), abs=1e-5)
        if step < 15:
            row, column = divmod(order[step].item(), 3)
            place = (..., slice(4 * row, 4 * row + 4), slice(4 * column, 4 * column + 4))
            left[place], put[place] = 0.0, picture[place]


def test_pictures_are_computed_in_batches_and_the_ends_only_once():
    sizes = []

    def classify(pictures):
        sizes.append(len(pictures))
        return pictures.mean(dim=(1, 2, 3))

    measure(classify, bright(), dict(enumerate(map(str, range(0)))) | {"a": order_with_patch_at(0)}, GRID, steps=16)
    assert sum(sizes) == 3 + 2 * 15
    assert max(sizes) <= 32


def test_an_order_begins_with_the_largest_and_does_not_favour_a_corner_among_equals():
    scores = torch.arange(16.0).view(GRID)
    assert torch.equal(order_of(scores, GRID), torch.arange(15, -1, -1))
    first = [order_of(torch.zeros(GRID), GRID, seed=seed)[0].item() for seed in range(12)]
    assert len(set(first)) > 3


def test_maps_of_every_size_are_brought_to_the_same_grid():
    coarse = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    fitted = on_grid(coarse, GRID)
    assert fitted.shape == GRID
    assert fitted.mean().item() == pytest.approx(1.5)
    assert fitted[0, 0] < fitted[0, 3] < fitted[3, 0] < fitted[3, 3]
    fine = torch.zeros(8, 8)
    fine[0:2, 2:4] = 1.0
    assert on_grid(fine, GRID).argmax().item() == 1
    assert on_grid(coarse, (2, 2)) is coarse


def test_patches_cover_pictures_that_they_do_not_divide():
    masks = first_patches(torch.arange(9), [1, 9], (3, 3), (10, 11))
    assert masks.shape == (2, 1, 10, 11)
    assert masks[0].sum() == 4 * 4
    assert masks[1].all()


def test_counts_run_from_none_to_all_and_never_repeat():
    assert counts_of(64, 16) == list(range(0, 65, 4))
    assert counts_of(4, 20) == [0, 1, 2, 3, 4]
    counts = counts_of(49, 10)
    assert (counts[0], counts[-1]) == (0, 49)
    assert len(set(counts)) == 11


def test_blurring_keeps_a_plain_picture_and_spreads_a_point_as_a_gaussian():
    assert torch.allclose(blur(torch.full((1, 3, 12, 20), 0.7)), torch.tensor(0.7), atol=1e-5)
    point = torch.zeros(1, 1, 41, 41)
    point[0, 0, 20, 20] = 1.0
    spread = blur(point)[0, 0]
    assert spread.sum().item() == pytest.approx(1, abs=1e-4)
    deviation = 4.1  # a tenth of the side
    assert (spread[20, 24] / spread[20, 20]).item() == pytest.approx(math.exp(-0.5 * (4 / deviation) ** 2), rel=1e-4)
