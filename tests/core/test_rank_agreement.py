"""Ranks of explanations compared, beside orders drawn at random."""

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.attribution.agreement import agreement, count_pairs, first_count, shared_by_chance, tau_by_chance

VALUES = st.lists(st.floats(-1, 1, width=16), min_size=12, max_size=12)


def counted(one, other):
    """Kendall's tau-b by counting pairs."""
    pairs = [(np.sign(one[a] - one[b]), np.sign(other[a] - other[b])) for a, b in combinations(range(len(one)), 2)]
    ordered = sum(first != 0 for first, _ in pairs) * sum(second != 0 for _, second in pairs)
    return sum(first * second for first, second in pairs) / ordered**0.5 if ordered else float("nan")


@given(VALUES, VALUES)
def test_tau_is_what_counting_pairs_gives(one, other):
    rank_agreement = agreement({"a": torch.tensor(one), "b": torch.tensor(other)})
    assert rank_agreement.tau[0, 1] == pytest.approx(counted(one, other), abs=1e-6, nan_ok=True)
    assert rank_agreement.tau[0, 1] == pytest.approx(rank_agreement.tau[1, 0], nan_ok=True)
    pairs = count_pairs(torch.tensor(one), torch.tensor(other))
    assert (float("nan") if pairs.tau is None else pairs.tau) == pytest.approx(counted(one, other), nan_ok=True)
    ties = sum(one[a] == one[b] and other[a] == other[b] for a, b in combinations(range(12), 2))
    assert sum(pairs.counts) + ties == 66


def test_the_same_order_agrees_whole_and_the_reverse_not_at_all():
    one = torch.linspace(0, 1, 30)
    rank_agreement = agreement({"a": one, "same": one**3, "reverse": -one})
    assert rank_agreement.names == ("a", "same", "reverse")
    assert rank_agreement.tau[0].tolist() == pytest.approx([1, 1, -1])
    assert rank_agreement.shared[0].tolist() == [1, 1, 0]
    assert (rank_agreement.words, rank_agreement.first) == (30, 3)


def test_the_first_words_are_counted():
    one, other = torch.zeros(20), torch.zeros(20)
    one[[3, 7]], other[[7, 9]] = torch.tensor([2.0, 1.0]), torch.tensor([2.0, 1.0])
    assert agreement({"a": one, "b": other}).shared[0, 1] == 0.5
    assert first_count(1) == 1
    assert first_count(21) == 3


def test_what_ranks_all_words_alike_has_no_rank_correlation():
    rank_agreement = agreement({"uniform": torch.full((15,), 1 / 15), "b": torch.arange(15.0)})
    assert np.isnan(rank_agreement.tau[0, 1])
    assert rank_agreement.tau[0, 0] == 1


@pytest.mark.parametrize("words", [10, 60])
def test_random_orders_stay_within_the_limits_of_chance(words):
    draw = torch.Generator().manual_seed(5)
    agreements = [agreement({name: torch.rand(words, generator=draw) for name in "ab"}) for _ in range(400)]
    within = np.mean([abs(rank_agreement.tau[0, 1]) <= tau_by_chance(words) for rank_agreement in agreements])
    assert 0.92 < within < 0.98
    mean, limit = shared_by_chance(words)
    shared = np.array([rank_agreement.shared[0, 1] for rank_agreement in agreements])
    assert shared.mean() == pytest.approx(mean, abs=0.05)
    assert (shared <= limit + 1e-9).mean() >= 0.93


def test_one_word_can_only_agree():
    assert tau_by_chance(1) == 1
    assert tau_by_chance(2) == 1
    assert shared_by_chance(1) == (1, 1)
