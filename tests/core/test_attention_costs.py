"""Exponents and crossings are those of the curves, and exact attention written out holds its square in memory."""

import pytest

from core.costs.attention_costs import HEAD_DIM, VARIANTS, crossing, exponent, measure_attention

LENGTHS = (128, 512, 1024, 4096, 16_384)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_a_power_has_its_own_exponent(power):
    assert exponent(LENGTHS, [3e-9 * n**power for n in LENGTHS]) == pytest.approx(power)


def test_what_is_paid_once_does_not_flatten_the_exponent():
    values = [1e-3 + 1e-8 * n**2 if n < 1024 else 1e-8 * n**2 for n in LENGTHS]
    assert exponent(LENGTHS, values) == pytest.approx(2.0)


def test_one_length_has_no_slope():
    with pytest.raises(ValueError, match="two lengths of at least 1024 tokens, and here are 1"):
        exponent((128, 1024), (1.0, 2.0))


def test_two_powers_cross_where_they_are_equal():
    # 6e-6 n = 3e-9 n^2 at n = 2,000.
    assert crossing(LENGTHS, [6e-6 * n for n in LENGTHS], [3e-9 * n**2 for n in LENGTHS]) == pytest.approx(2000)


def test_a_curve_that_is_never_below_does_not_cross_and_one_that_always_is_crosses_at_once():
    low, high = [1.0 * n for n in LENGTHS], [2.0 * n for n in LENGTHS]
    assert crossing(LENGTHS, high, low) is None
    assert crossing(LENGTHS, low, high) == 128


def test_the_last_of_several_crossings_counts():
    assert crossing((1, 2, 4, 8), (0.5, 2.0, 2.0, 0.5), (1.0,) * 4) == pytest.approx(4 * 2**0.5)


def test_every_variant_is_measured_and_only_the_written_out_one_holds_the_square():
    costs = {
        (cost.name, cost.tokens): cost for cost in measure_attention(lambda *_: None, tokens=(128, 512), repeats=1)
    }
    assert set(costs) == {(name, tokens) for name in VARIANTS for tokens in (128, 512)}
    square = 512 * 512 * 4  # bytes of one float32 matrix
    assert costs["Exact, written out", 512].bytes > 2 * square
    assert costs["Exact, fused", 512].bytes < square
    assert costs["Exact, fused", 512].bytes >= 512 * HEAD_DIM * 4
