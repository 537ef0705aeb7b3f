"""Bits of each token, and their running mean."""

import math

import pytest
import torch
import torch.nn.functional as F

from core.tokens import surprise
from core.tokens.surprise import bits, running_mean


@pytest.mark.parametrize("length", [1, 2, 3, 255, 256, 257, 600])
def test_bits_are_the_cross_entropy_of_each_token_in_base_two(length):
    generator = torch.Generator().manual_seed(length)
    logits = 4 * torch.randn(length, 50, generator=generator)
    tokens = torch.randint(50, (length,), generator=generator)
    bits_per_token = bits(logits, tokens)
    assert bits_per_token[0].isnan()
    expected = F.cross_entropy(logits[:-1], tokens[1:], reduction="none") / math.log(2)
    torch.testing.assert_close(bits_per_token[1:], expected)


def test_even_chances_cost_as_many_bits_as_the_choice_has():
    tokens = torch.tensor([1, 2, 3])
    torch.testing.assert_close(bits(torch.zeros(3, 64), tokens)[1:], torch.tensor([6.0, 6.0]))


def test_how_many_rows_are_computed_at_once_does_not_matter(monkeypatch):
    logits, tokens = torch.randn(40, 30), torch.randint(30, (40,))
    expected = bits(logits, tokens)
    monkeypatch.setattr(surprise, "ROWS", 7)
    torch.testing.assert_close(bits(logits, tokens)[1:], expected[1:])


def test_the_running_mean_is_that_of_the_last_values():
    values = torch.rand(30)
    values[0] = torch.nan
    for width in (1, 4, 16, 50):
        means = running_mean(values, width)
        assert means[0].isnan()
        for place in range(1, 30):
            window = [v for v in values[max(0, place + 1 - width) : place + 1].tolist() if not math.isnan(v)]
            assert means[place].item() == pytest.approx(sum(window) / len(window), abs=1e-5)
