"""Measures agree with what can be worked out by hand for uniform, identity and shifted patterns."""

import math

import pytest
import torch

from core import measures

UNIFORM = torch.full((2, 8, 8), 1 / 8)
IDENTITY = torch.eye(8)
PREVIOUS = torch.eye(8).roll(-1, dims=1)  # row q looks at q - 1, the first row at the last key


def test_entropy_is_the_logarithm_of_the_number_of_equal_keys():
    assert torch.allclose(measures.entropy(UNIFORM), torch.full((2, 8), 3.0))
    assert torch.equal(measures.entropy(IDENTITY), torch.zeros(8))


def test_keys_holding_counts_the_strongest_first():
    row = torch.tensor([[0.05, 0.6, 0.05, 0.3]])
    assert measures.keys_holding(row, 0.9).tolist() == [2]
    assert measures.keys_holding(row, 0.5).tolist() == [1]
    assert measures.keys_holding(UNIFORM[0], 1.0).tolist() == [8] * 8


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
