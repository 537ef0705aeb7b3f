"""Rounded weights: within half a step, on few levels, in as many bytes as counted by hand."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from core.shrinking.bits import BITS, GROUPINGS, round_matrix, round_network
from core.shrinking.layouts import block_of, matrices_of

SIZES = st.tuples(st.integers(1, 9), st.integers(1, 200), st.integers(0, 1000))


def matrix_of(size):
    rows, columns, seed = size
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


@given(SIZES, st.sampled_from(BITS), st.sampled_from(list(GROUPINGS)))
def test_no_weight_moves_by_more_than_half_a_step(size, bits, grouping):
    matrix = matrix_of(size)
    rounded = round_matrix(matrix, bits, grouping)
    assert bool(((matrix - rounded.values).abs() <= rounded.steps / 2 * (1 + 1e-4)).all())


@given(SIZES, st.sampled_from(BITS))
def test_levels_are_whole_steps_and_no_more_than_the_bits_allow(size, bits):
    rounded = round_matrix(matrix_of(size), bits, "per tensor")
    assert len(rounded.values.unique()) <= 2**bits - 1
    levels = rounded.values / rounded.steps
    assert_close(levels, levels.round(), atol=1e-3, rtol=0)


def test_rounding_agrees_with_torchs_own_quantisation_per_tensor_and_per_channel():
    matrix = matrix_of((6, 40, 1))
    scale = float(matrix.abs().max()) / 127
    assert_close(
        round_matrix(matrix, 8, "per tensor").values, torch.fake_quantize_per_tensor_affine(matrix, scale, 0, -127, 127)
    )
    scales = matrix.abs().amax(dim=1) / 7
    expected = torch.fake_quantize_per_channel_affine(matrix, scales, torch.zeros(6, dtype=torch.int32), 0, -7, 7)
    assert_close(round_matrix(matrix, 4, "per output channel").values, expected)


def test_bytes_count_levels_and_scales():
    matrix = matrix_of((6, 100, 2))
    assert round_matrix(matrix, 8, "per tensor").bytes == 600 + 4
    assert round_matrix(matrix, 4, "per output channel").bytes == 300 + 6 * 4
    assert round_matrix(matrix, 4, "groups of 32").bytes == 300 + 6 * 4 * 4  # the fourth group of a row has 4 weights


def test_zeros_stay_zeros_and_other_bits_are_refused():
    assert not round_matrix(torch.zeros(3, 5), 4, "groups of 32").values.any()
    with pytest.raises(ValueError, match="2 to 8 bits, not to 1"):
        round_matrix(torch.zeros(1, 1), 1, "per tensor")


def test_only_the_chosen_matrix_of_a_copy_is_rounded():
    network = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
    before = {name: weight.clone() for name, weight in network.state_dict().items()}
    rounded, size = round_network(network, 4, "per tensor", ["2"])
    for name, weight in rounded.state_dict().items():
        assert torch.equal(weight, before[name]) == (name != "2.weight")
    assert all(torch.equal(weight, before[name]) for name, weight in network.state_dict().items())
    assert size == 4 * (64 + 8 + 4) + 16 + 4
    assert list(matrices_of(network)) == ["0", "2"]


def test_the_layer_of_a_matrix_is_the_number_in_its_name():
    assert block_of("bert.blocks.3.attention.qkv") == 3
    assert block_of("head") is None
