"""Networks in fewer bits: as near to the whole one as rounding allows, and as small as counted by hand."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from core.models.gpt import GPT, GPTConfig
from core.shrinking.bits import round_matrix
from core.shrinking.number_formats import (
    FORMATS,
    Int4Linear,
    Int8Linear,
    fits_int4,
    in_number_format,
    parameter_count,
    size_in_bytes,
)

SIZES = st.tuples(
    st.integers(1, 9), st.sampled_from([32, 64, 96, 128]), st.sampled_from([16, 48, 64]), st.integers(0, 99)
)


def linear_and_input(size) -> tuple[nn.Linear, torch.Tensor]:
    tokens, columns, rows, seed = size
    torch.manual_seed(seed)
    return nn.Linear(columns, rows).requires_grad_(False), torch.randn(2, tokens, columns)


NEAR = {"float32": 1e-7, "bfloat16": 0.01, "int8": 0.02, "int4": 0.2}


@given(SIZES)
@settings(max_examples=30)
def test_a_product_in_int8_is_within_the_bound_of_both_roundings(size):
    linear, x = linear_and_input(size)
    apart = (Int8Linear(linear)(x) - linear(x)).abs()
    weight_step = linear.weight.abs().amax(dim=1) / 127
    token_step = x.abs().amax(dim=-1, keepdim=True) / 127
    # |w x - (w + a)(x + b)| with |a|, |b| at most half a step, summed over the columns
    bound = (x.abs().sum(dim=-1, keepdim=True) * weight_step / 2) + token_step / 2 * linear.weight.abs().sum(dim=1)
    bound += linear.in_features * weight_step * token_step / 4
    assert bool((apart <= bound * (1 + 1e-3) + 1e-5).all())


@given(SIZES)
@settings(max_examples=30)
def test_a_product_in_int4_is_that_of_the_rounded_matrix(size):
    linear, x = linear_and_input(size)
    group = 64 if linear.in_features % 64 == 0 else 32
    rounded = round_matrix(linear.weight, 4, f"groups of {group}").values
    expected = nn.functional.linear(x, rounded, linear.bias)
    product = Int4Linear(linear)(x)
    assert product.dtype == torch.bfloat16
    assert float((product - expected).norm() / expected.norm()) < 0.02


def test_a_token_of_zeros_gives_the_bias_and_a_matrix_of_zeros_too():
    linear = nn.Linear(32, 16).requires_grad_(False)
    assert_close(Int8Linear(linear)(torch.zeros(1, 32)), linear.bias[None])
    linear.weight.zero_()
    for kind in (Int8Linear, Int4Linear):
        assert_close(kind(linear)(torch.randn(3, 32)).float(), linear.bias.expand(3, -1), rtol=0.01, atol=0.01)


@pytest.mark.parametrize("name", FORMATS)
@torch.no_grad()
def test_a_network_keeps_its_inputs_and_outputs_and_nearly_its_answer(name):
    torch.manual_seed(0)
    network = GPT(GPTConfig(vocabulary=50, context=16, width=64, layers=2, heads=4)).eval()
    ids = torch.randint(50, (2, 9))
    before, after = network(ids), in_number_format(network, name)(ids)
    assert after.dtype == torch.float32
    assert float((after - before).norm() / before.norm()) < NEAR[name]
    assert torch.equal(network(ids), before)  # the network itself is as it was


def test_bytes_are_counted_once_and_by_their_width():
    linear = nn.Linear(64, 48)
    assert size_in_bytes(linear) == 4 * (64 * 48 + 48)
    assert size_in_bytes(in_number_format(nn.Sequential(linear), "bfloat16")) == 2 * (64 * 48 + 48)
    assert (
        size_in_bytes(in_number_format(nn.Sequential(linear), "int8")) == 64 * 48 + 4 * 48 + 4 * 48
    )  # levels, steps, bias
    assert size_in_bytes(in_number_format(nn.Sequential(linear), "int4")) == 64 * 48 // 2 + 2 * 2 * 48 + 2 * 48
    tied = nn.Sequential(linear, nn.Linear(64, 48))
    tied[1].weight = linear.weight
    assert size_in_bytes(tied) == 4 * (64 * 48 + 48 + 48)


def test_parameters_are_as_many_in_every_format():
    network = nn.Sequential(nn.Linear(64, 48), nn.LayerNorm(48))
    assert {parameter_count(in_number_format(network, name)) for name in FORMATS} == {64 * 48 + 48 + 96}


def test_shapes_that_int4_cannot_take_stay_in_bfloat16():
    odd = nn.Linear(30, 10)
    assert not fits_int4(odd)
    changed = in_number_format(nn.Sequential(odd), "int4")
    assert type(changed[0]) is nn.Linear
    assert changed[0].weight.dtype == torch.bfloat16
