"""How far heads look in pixels, against loops; the smallest set of keys, against every set."""

from itertools import combinations

import pytest
import torch

from core.heads import measures
from core.images import Patches
from core.vision.distance import even_distance, mean_distance, patch_distances, smallest_set

PATCHES = Patches(3, 4, ("class", "register"))
SIZE = (8, 16)  # pixels: patches need not be square


def maps(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(*shape, len(PATCHES), len(PATCHES), generator=generator).mul(2).softmax(dim=-1)


def test_the_mean_distance_is_that_of_a_loop_over_pairs_of_patches():
    weights = maps(2, 3)
    distances = mean_distance(weights, PATCHES, patch_distances(PATCHES, SIZE))
    for layer in range(2):
        for head in range(3):
            means = []
            for query in range(12):
                row = weights[layer, head, 2 + query, 2:]
                total = 0.0
                for key in range(12):
                    down = SIZE[0] * (query // 4 - key // 4)
                    across = SIZE[1] * (query % 4 - key % 4)
                    total += float(row[key] / row.sum()) * (down**2 + across**2) ** 0.5
                means.append(total)
            assert float(distances[layer, head]) == pytest.approx(sum(means) / 12, rel=1e-5)


def test_square_patches_are_as_far_as_in_patches_times_their_side():
    weights = maps(3)
    in_patches = measures.mean_distance_in_plane(weights.double(), PATCHES)
    torch.testing.assert_close(
        mean_distance(weights, PATCHES, patch_distances(PATCHES, (8, 8))).double(), 8 * in_patches
    )


def test_who_looks_only_at_itself_looks_nowhere_and_who_looks_everywhere_looks_evenly():
    gaps = patch_distances(PATCHES, SIZE)
    assert float(mean_distance(torch.eye(14), PATCHES, gaps)) == 0
    even = torch.full((14, 14), 1 / 14)
    assert float(mean_distance(even, PATCHES, gaps)) == pytest.approx(even_distance(gaps), rel=1e-6)


def test_prefix_tokens_change_nothing_and_rows_that_leave_nothing_are_left_out():
    weights, gaps = maps(), patch_distances(PATCHES, SIZE)
    other = weights.clone()
    other[:2] = other[:2].flip(-1)  # what the prefix tokens look at
    other[2:, 0] += 0.5  # what goes to them
    other[2:] /= other[2:].sum(dim=-1, keepdim=True)
    torch.testing.assert_close(mean_distance(other, PATCHES, gaps), mean_distance(weights, PATCHES, gaps))
    weights[5] = 0
    weights[5, 0] = 1
    rows = [row for row in range(2, 14) if row != 5]
    single = torch.stack([(weights[row, 2:] / weights[row, 2:].sum() * gaps[row - 2]).sum() for row in rows])
    torch.testing.assert_close(mean_distance(weights, PATCHES, gaps), single.mean())


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 1.0])
def test_no_smaller_set_holds_the_share(share):
    for row in torch.rand(5, 8, generator=torch.Generator().manual_seed(2)):  # rows need not sum to 1
        chosen = smallest_set(row, share)
        wanted = share * float(row.double().sum()) * (1 - 1e-5)
        assert float(row[chosen].double().sum()) >= wanted
        fewer = int(chosen.sum()) - 1
        assert all(float(row[list(others)].double().sum()) < wanted for others in combinations(range(8), fewer))


def test_the_set_keeps_leading_axes_and_takes_the_first_of_equals():
    rows = torch.tensor([[[0.25, 0.25, 0.25, 0.25]], [[0.0, 0.1, 0.0, 0.9]]])
    expected = torch.tensor([[[True, True, False, False]], [[False, False, False, True]]])
    assert smallest_set(rows, 0.5).equal(expected)
    assert smallest_set(rows, 1.0)[1].tolist() == [[False, True, False, True]]
