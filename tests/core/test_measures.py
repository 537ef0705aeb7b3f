"""Measures agree with what can be worked out by hand for uniform, identity and shifted patterns."""

import math

import pytest
import torch

from core.heads import measures
from core.images import Patches

UNIFORM = torch.full((2, 8, 8), 1 / 8)
IDENTITY = torch.eye(8)
PREVIOUS = torch.eye(8).roll(-1, dims=1)  # row q looks at q - 1, the first row at the last key


def test_entropy_is_the_logarithm_of_the_number_of_equal_keys():
    assert torch.allclose(measures.entropy(UNIFORM), torch.full((2, 8), 3.0))
    assert torch.equal(measures.entropy(IDENTITY), torch.zeros(8))


def test_shares_of_plain_patterns():
    assert measures.same_token(IDENTITY).item() == 1
    assert measures.same_token(UNIFORM).tolist() == [1 / 8, 1 / 8]
    assert measures.previous_token(PREVIOUS).item() == 1
    assert measures.previous_token(IDENTITY).item() == 0
    assert measures.first_token(torch.eye(4)[[0, 0, 0, 0]]).item() == 1


def test_induction_is_one_for_a_head_that_looks_after_the_earlier_copy():
    period, tokens = 5, 10
    weights = torch.eye(tokens)
    for query in range(period, tokens):
        weights[query] = torch.eye(tokens)[query - period + 1]
    assert measures.induction(weights, period).item() == 1
    assert measures.induction(torch.eye(tokens), period).item() == 0


def test_mean_distance_of_uniform_attention_is_the_mean_gap():
    gaps = [abs(a - b) for a in range(8) for b in range(8)]
    assert measures.mean_distance(UNIFORM[0]).item() == pytest.approx(sum(gaps) / 64)
    assert measures.mean_distance(IDENTITY).item() == 0
    assert math.isclose(measures.mean_distance(torch.eye(8).roll(-1, 1)).item(), (7 + 7) / 8)


def test_a_sample_of_rows_is_measured_by_the_places_of_its_rows():
    shares = torch.softmax(torch.randn(2, 12, 12, generator=torch.Generator().manual_seed(0)), dim=-1)
    rows = torch.tensor([0, 3, 7, 11])
    for measure in (measures.same_token, measures.previous_token, measures.first_token, measures.mean_distance):
        alone = [measure(shares[:, [row]], torch.tensor([row])) for row in rows.tolist()]
        assert torch.allclose(measure(shares[:, rows], rows), torch.stack(alone).nanmean(dim=0)), measure.__name__


def test_the_previous_token_of_the_first_one_is_no_number():
    assert measures.previous_token(torch.ones(1, 1)).isnan()
    assert measures.first_token(torch.ones(1, 1)).isnan()


def test_the_share_of_chosen_keys_is_their_mass():
    chosen = torch.tensor([True, False, False, True, False, False, False, False])
    assert measures.share_of(UNIFORM, chosen).tolist() == [0.25, 0.25]
    assert measures.share_of(IDENTITY, chosen).item() == 0.25  # two of eight rows look there, with all they have


def test_distance_in_the_plane_counts_rows_and_columns():
    patches = Patches(2, 3)
    right, below = torch.eye(6)[[1, 2, 1, 4, 5, 4]], torch.eye(6)[[3, 4, 5, 0, 1, 2]]
    for pattern in (right, below):
        assert measures.mean_distance_in_plane(pattern, patches).item() == 1
    assert measures.mean_distance_in_plane(torch.eye(6), patches).item() == 0
    corner = torch.eye(6)[[5] * 6]  # all look at the lower right patch
    assert measures.mean_distance_in_plane(corner, patches).item() == pytest.approx(
        (math.hypot(1, 2) + math.hypot(1, 1) + 1 + 2 + 1 + 0) / 6
    )


def test_tokens_without_a_place_are_left_out_and_the_rest_sums_to_one_again():
    patches, plain = Patches(2, 2, ("class", "register 1")), Patches(2, 2)
    inner = torch.tensor([[0.1, 0.2, 0.3, 0.4]] * 4)
    outer = torch.full((6, 6), 1 / 6)
    outer[2:, :2], outer[2:, 2:] = 0.45, 0.1 * inner
    expected = measures.mean_distance_in_plane(inner, plain)
    assert torch.allclose(measures.mean_distance_in_plane(outer, patches), expected)


def test_a_row_that_leaves_nothing_to_the_patches_is_left_out():
    patches = Patches(1, 2, ("class",))
    weights = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    assert measures.mean_distance_in_plane(weights, patches).item() == 1


def test_even_attention_reaches_the_mean_distance_between_patches():
    patches = Patches(3, 5)
    even = measures.mean_distance_in_plane(torch.full((15, 15), 1 / 15), patches).item()
    assert even == pytest.approx(measures.even_distance_in_plane(patches))
    gaps = [math.hypot(a // 5 - b // 5, a % 5 - b % 5) for a in range(15) for b in range(15)]
    assert even == pytest.approx(sum(gaps) / 225)


def test_what_moved_is_the_share_that_went_elsewhere():
    assert measures.moved(IDENTITY, IDENTITY).item() == 0
    assert measures.moved(IDENTITY, PREVIOUS).item() == 1
    half = (IDENTITY + PREVIOUS) / 2
    assert measures.moved(IDENTITY, half).item() == 0.5


@pytest.mark.parametrize("causal", [False, True])
def test_no_pattern_exceeds_its_bound_and_the_extreme_one_reaches_it(causal):
    count, rows = 9, torch.arange(9)
    allowed = torch.ones(count, count).tril() if causal else torch.ones(count, count)
    even = allowed / allowed.sum(dim=-1, keepdim=True)
    most = measures.largest_entropy(rows, count, causal=causal)
    assert measures.entropy(even).mean().item() == pytest.approx(most)
    assert most == pytest.approx(sum(math.log2(row + 1) for row in range(9)) / 9 if causal else math.log2(9))

    gaps = (rows[:, None] - rows[None]).abs() * allowed
    farthest = torch.eye(count)[gaps.argmax(dim=-1)]
    assert measures.mean_distance(farthest).item() == pytest.approx(
        measures.largest_distance(rows, count, causal=causal)
    )
    noise = torch.rand(count, count, generator=torch.Generator().manual_seed(1)) * allowed
    noise = noise / noise.sum(dim=-1, keepdim=True)
    assert measures.entropy(noise).mean() < most
    assert measures.mean_distance(noise) < measures.largest_distance(rows, count, causal=causal)


def test_the_farthest_that_patches_can_look_is_the_opposite_corner():
    assert measures.largest_distance_in_plane(Patches(2, 2)) == pytest.approx(math.sqrt(2))
    assert measures.largest_distance_in_plane(Patches(1, 3)) == pytest.approx((2 + 1 + 2) / 3)
