"""Equations 1 and 2 of Liu et al. 2021 beside what torch counts itself, and the measured block beside timm's."""

import pytest
import torch
from timm.models.swin_transformer import SwinTransformerBlock, WindowAttention
from timm.models.vision_transformer import Attention
from torch.utils.flop_counter import FlopCounterMode

from core.vision.window_cost import BlockSizes, GridAttention, global_cost, measure, window_cost


def flops(module: torch.nn.Module, x: torch.Tensor) -> int:
    with torch.inference_mode(), FlopCounterMode(display=False) as counter:
        module(x)
    return counter.get_total_flops()


@pytest.mark.parametrize(("h", "w", "width"), [(4, 4, 8), (8, 12, 16), (16, 16, 80)])
def test_equation_1_is_half_of_the_flops_that_torch_counts(h, w, width):
    module = Attention(width, num_heads=2)
    assert flops(module, torch.zeros(1, h * w, width)) == 2 * global_cost(h, w, width)


@pytest.mark.parametrize(("h", "w", "width", "window"), [(4, 4, 8, 4), (8, 12, 16, 4), (14, 14, 24, 7)])
def test_equation_2_is_half_of_the_flops_that_torch_counts(h, w, width, window):
    module = WindowAttention(width, num_heads=2, window_size=window)
    windows = torch.zeros(h * w // window**2, window**2, width)
    assert flops(module, windows) == 2 * window_cost(h, w, width, (window, window))


@pytest.mark.parametrize("window", [(2, 6), (4, 3), (1, 12)])
def test_equation_2_holds_for_windows_that_are_not_square(window):
    module = WindowAttention(16, num_heads=2, window_size=window)
    size = window[0] * window[1]
    assert flops(module, torch.zeros(8 * 12 // size, size, 16)) == 2 * window_cost(8, 12, 16, window)


@pytest.mark.parametrize("window", [None, (4, 4), (2, 6)])
def test_the_measured_block_does_the_work_that_is_counted(window):
    module, x = GridAttention(16, 2, window), torch.zeros(1, 8, 12, 16)
    counted = global_cost(8, 12, 16) if window is None else window_cost(8, 12, 16, window)
    assert flops(module, x) == 2 * counted


def test_both_equations_agree_where_one_window_is_the_grid():
    assert window_cost(7, 7, 96, (7, 7)) == global_cost(7, 7, 96)


@pytest.mark.parametrize(("side", "window"), [(8, (4, 4)), (10, (4, 4)), (10, (2, 6))])
def test_the_measured_block_computes_what_timms_block_does(side, window):
    torch.manual_seed(0)
    theirs = SwinTransformerBlock(16, (side, side), num_heads=2, window_size=window, always_partition=True).eval()
    torch.nn.init.zeros_(theirs.attn.relative_position_bias_table)
    ours = GridAttention(16, 2, window)
    ours.qkv, ours.out = theirs.attn.qkv, theirs.attn.proj
    x = torch.randn(1, side, side, 16)
    with torch.inference_mode():
        torch.testing.assert_close(ours(x), theirs._attn(x))


def test_without_windows_every_place_sees_every_other():
    torch.manual_seed(0)
    block, x = GridAttention(8, 2, None), torch.randn(1, 3, 5, 8)
    theirs = Attention(8, num_heads=2, qkv_bias=True)
    theirs.qkv, theirs.proj = block.qkv, block.out
    with torch.inference_mode():
        torch.testing.assert_close(block(x), theirs(x.flatten(1, 2)).view_as(x))


def test_measuring_reports_every_pass_and_gives_times_for_every_size():
    reports = []
    timings = measure(BlockSizes(8, 2, (2, 2), 4), lambda *report: reports.append(report), pixels=(16, 32), repeats=2)
    assert [timing.pixels for timing in timings] == [16, 32]
    assert all(timing.window > 0 and timing.full_grid > 0 and timing.repeats == 2 for timing in timings)
    assert reports == [(done, 6) for done in range(1, 7)]


def test_a_slow_machine_measures_less_instead_of_longer():
    timings = measure(BlockSizes(8, 2, (2, 2), 4), lambda *_: None, pixels=(16, 32, 64), repeats=4, patience=0.0)
    assert [(timing.pixels, timing.repeats) for timing in timings] == [(16, 1)]


def test_the_grid_is_as_many_whole_places_as_the_picture_needs():
    sizes = BlockSizes(80, 2, (4, 6), 4)
    assert [sizes.grid(pixels) for pixels in (64, 66)] == [16, 17]
    assert [sizes.padded(pixels) for pixels in (64, 66)] == [(16, 18), (20, 18)]
