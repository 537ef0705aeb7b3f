"""Bits are counted right: once a token, with enough context, and for the baseline as the formula says."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from core.models.gpt import GPT, GPTConfig
from training.common.language import Trigram, TwoSided, bits


class Uniform(nn.Module):
    def forward(self, tokens):
        return torch.zeros(*tokens.shape, 16)


@pytest.mark.parametrize("length", [2, 7, 8, 9, 12, 13, 100])
def test_a_model_that_knows_nothing_needs_log2_of_the_vocabulary_for_each_token(length):
    tokens = np.arange(length) % 16
    assert bits(Uniform(), tokens, context=8) == pytest.approx(4 * (length - 1), rel=1e-5)


def test_a_text_that_fits_the_context_is_measured_in_one_piece():
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocabulary=16, context=32, width=8, layers=1, heads=2)).eval()
    tokens = np.random.default_rng(0).integers(0, 16, 33)
    row = torch.from_numpy(tokens)
    with torch.no_grad():
        expected = nn.functional.cross_entropy(model(row[None, :-1])[0], row[1:], reduction="sum") / math.log(2)
    assert bits(model, tokens, context=32) == pytest.approx(expected.item(), rel=1e-4)


def test_trigram_probabilities_follow_witten_and_bell():
    tokens, held_out = np.array([0, 1, 2, 0, 1, 1]), np.array([0, 1, 2])
    trigram = Trigram(tokens, vocabulary=3)
    # Unigrams: counts 2, 3, 1 of 6, three types. P(1) = (3 + 3/3) / 9, P(2) = (1 + 3/3) / 9.
    one, two = 4 / 9, 2 / 9
    # After 0 came 1, twice; after 1 came 2 and 1. After (0, 1) came 2 and 1.
    one_after_0 = (2 + 1 * one) / 3
    two_after_1 = (1 + 2 * two) / 4
    two_after_0_1 = (1 + 2 * two_after_1) / 4
    assert trigram.bits(held_out) == pytest.approx(-math.log2(one_after_0) - math.log2(two_after_0_1))


def test_trigram_probabilities_sum_to_one():
    tokens = np.random.default_rng(1).integers(0, 5, 200)
    trigram = Trigram(tokens, vocabulary=5)
    first = 2 ** -trigram.bits(np.array([3, 4]))
    total = sum(2 ** -trigram.bits(np.array([3, 4, last])) for last in range(5))
    assert total == pytest.approx(first)


def test_what_stands_between_two_tokens_follows_witten_and_bell_from_both_sides():
    tokens = np.array([0, 1, 2, 0, 1, 1, 2, 2, 0])
    model = TwoSided(tokens, vocabulary=3)
    alone = np.array([4, 4, 4]) / 12  # three of each, and one more
    # After 0 came 1, twice: (2 + 1/3) / 3 for 1. Before 2 came 1 twice and 2 once: two types.
    after = np.array([0 + 1 / 3, 2 + 1 / 3, 0 + 1 / 3]) / 3
    before = np.array([0 + 2 / 3, 2 + 2 / 3, 1 + 2 / 3]) / 5
    apart = after * before / alone
    apart /= apart.sum()
    # Between 0 and 2 stood 1, once, and nothing else.
    expected = (np.array([0, 1, 0]) + 1 * apart) / 2
    chances, best = model.guess(np.array([0, 0, 0]), np.array([2, 2, 2]), np.array([0, 1, 2]))
    np.testing.assert_allclose(chances, expected, rtol=1e-5)
    assert chances.sum() == pytest.approx(1)
    assert (best == 1).all()


def test_between_two_tokens_that_never_stood_so_the_neighbours_apart_decide():
    tokens = np.array([0, 1, 2, 0, 1, 1, 2, 2, 0])
    model = TwoSided(tokens, vocabulary=3)
    chances, _ = model.guess(np.array([2, 2, 2]), np.array([1, 1, 1]), np.array([0, 1, 2]))
    apart = model.after[2] * model.before[1] / model.alone
    # Between 2 and 1 stood 0, once.
    np.testing.assert_allclose(chances, (np.array([1, 0, 0]) + apart / apart.sum()) / 2, rtol=1e-5)
