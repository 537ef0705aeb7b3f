"""Errors and costs of approximations, and what a sparse mask lets a token hear."""

import math

import pytest
import torch

from core.capture import record_attention
from core.efficient import (
    BigBird,
    Clustered,
    Fused,
    Linformer,
    LowRank,
    Performer,
    SlidingWindow,
    WrittenOut,
    approximation_error,
    error_curve,
)
from core.efficient.approximation_error import Head, compare, head_of
from core.efficient.error_curve import error_against_cost, settings_of
from core.efficient.sparse_reach import layers_needed, reachable_keys
from core.errors import CaptureError
from tests.core.tiny_models import inputs_of, tiny_gpt, tiny_transformers, tokens

VARIANTS = [
    SlidingWindow(window=20),
    BigBird(block=8, window=2, random=1, global_tokens=4),
    Linformer(rank=30),
    Performer(features=64),
    Clustered(clusters=8),
    LowRank(rank=8),
]


def drawn(length=120, head_dim=16, causal=True):
    generator = torch.Generator().manual_seed(0)
    return Head(*torch.randn(3, length, head_dim, generator=generator).unbind(), causal=causal)


def weights(variant, head):
    return variant.weights(head.query, head.key)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: type(variant).__name__)
def test_the_numbers_are_those_of_the_two_maps(variant):
    head = drawn()
    comparison, exact, other = compare(variant, head), weights(WrittenOut(), head), weights(variant, head)
    torch.testing.assert_close(comparison.exact, exact)
    torch.testing.assert_close(comparison.approximate, other)
    error = (other @ head.value - exact @ head.value).norm() / (exact @ head.value).norm()
    assert comparison.output_error == pytest.approx(float(error), rel=1e-3)
    gone = (exact > 0) & (other <= 0)
    assert comparison.dropped == pytest.approx(float(exact[gone].sum() / 120), abs=1e-6)
    assert comparison.infinite == pytest.approx(float(gone.any(dim=1).float().mean()))
    assert comparison.moved == pytest.approx(float((exact - other).abs().sum(1).mean() / 2), rel=1e-4)
    assert comparison.cost == variant.multiplications(120, 16) / Fused().multiplications(120, 16)
    assert not comparison.sampled


def test_the_divergence_is_that_of_torch_where_no_link_is_dropped():
    head = drawn(causal=False)
    variant = Performer(features=64, causal=False)
    exact, other = weights(WrittenOut(causal=False), head), weights(variant, head)
    expected = torch.nn.functional.kl_div(other.log(), exact, reduction="batchmean") / math.log(2)
    comparison = compare(variant, head)
    assert comparison.divergence == pytest.approx(float(expected), rel=1e-3)
    assert comparison.infinite == 0


def test_where_every_row_loses_a_link_the_divergence_is_no_number():
    head = Head(*torch.randn(3, 40, 8).unbind(), causal=False)
    comparison = compare(SlidingWindow(window=3, causal=False), head)
    assert math.isnan(comparison.divergence)
    assert comparison.infinite == 1


def test_exact_attention_has_no_error():
    comparison = compare(Fused(), drawn())
    assert comparison.output_error < 1e-5
    assert comparison.divergence < 1e-6
    assert (comparison.dropped, comparison.infinite, comparison.cost) == (0, 0, 1)


def test_the_strongest_losses_are_listed_first():
    head, variant = drawn(), SlidingWindow(window=20)
    lost = (weights(WrittenOut(), head) - weights(variant, head)).flatten()
    links = compare(variant, head).links
    assert [link.query * 120 + link.key for link in links] == lost.topk(len(links)).indices.tolist()
    assert links[0].exact - links[0].approximate == pytest.approx(float(lost.max()))
    assert all(link.query - link.key >= 20 for link in links)


@pytest.mark.parametrize("variant", VARIANTS[:5], ids=lambda variant: type(variant).__name__)
def test_rows_of_a_long_text_stand_for_all(variant, monkeypatch):
    head = drawn(length=300)
    full_comparison = compare(variant, head, size=50)
    monkeypatch.setattr(approximation_error, "MAX_FULL_ROWS", 100)
    monkeypatch.setattr(approximation_error, "ROWS", 150)
    monkeypatch.setattr(approximation_error, "TILE", 3000)
    some = compare(variant, head, size=50)
    assert some.sampled
    assert (some.rows[0], some.rows[-1], len(some.rows)) == (0, 299, 150)
    assert some.output_error == pytest.approx(full_comparison.output_error, rel=0.2)
    assert some.dropped == pytest.approx(full_comparison.dropped, abs=0.03)
    assert some.exact.shape == some.approximate.shape == (50, 50)


def test_tiles_give_what_the_whole_gives(monkeypatch):
    head, variant = drawn(length=300), BigBird(block=8)
    full_comparison = compare(variant, head, size=64)
    monkeypatch.setattr(approximation_error, "TILE", 1000)
    reports = []
    tiled = compare(variant, head, size=64, progress=lambda *step: reports.append(step))
    torch.testing.assert_close(tiled.exact, full_comparison.exact)
    torch.testing.assert_close(tiled.approximate, full_comparison.approximate)
    assert [(link.query, link.key) for link in tiled.links] == [
        (link.query, link.key) for link in full_comparison.links
    ]
    assert [link.exact for link in tiled.links] == pytest.approx([link.exact for link in full_comparison.links])
    assert reports[-1] == (100, 100)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: type(variant).__name__)
def test_what_costs_more_errs_less_in_the_end(variant):
    points = error_against_cost(variant, drawn())
    costs, errors = [point.cost for point in points], [point.error for point in points]
    assert costs == sorted(costs)
    assert errors[-1] < 0.6 * errors[0]
    assert points[-1].setting in (120, 15, *error_curve.MAX_SETTING.values())


def test_settings_that_cost_too_much_are_left_out_unless_all_do():
    points = error_against_cost(Performer(), drawn())
    some = error_against_cost(Performer(), drawn(), max_cost=4.0)
    assert 0 < len(some) < len(points)
    assert [point.setting for point in some] == [point.setting for point in points if point.cost <= 4]
    assert [point.setting for point in error_against_cost(Performer(), drawn(), max_cost=0.1)] == [8]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: type(variant).__name__)
@pytest.mark.parametrize("length", [1, 2, 7, 100])
def test_settings_grow_and_can_be_used(variant, length):
    settings = settings_of(variant, length)
    assert list(settings) == sorted(set(settings))
    assert all(math.isfinite(point.cost) for point in error_against_cost(variant, drawn(length)))


def test_a_head_of_a_model_gives_its_own_output():
    model = tiny_gpt()
    with torch.inference_mode(), record_attention(model) as record:
        model(tokens())
    call = record.calls[1]
    head = head_of(call, 2)
    assert head.causal
    torch.testing.assert_close(Fused(causal=True).output(*head.parts)[0, 0], call.output(2), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("family", "options"), [("t5", {}), ("bert", {"padded": True})])
def test_attention_with_a_bias_or_padding_is_an_error(family, options):
    model, inputs = tiny_transformers(family), inputs_of(family, **options)
    with torch.inference_mode(), record_attention(model) as record:
        model(**inputs)
    with pytest.raises(CaptureError):
        head_of(record.calls[0], 0)


@pytest.mark.parametrize("variant", [SlidingWindow(window=4), BigBird(block=4, window=1, random=1, global_tokens=2)])
def test_what_is_heard_is_what_a_gradient_comes_from(variant):
    mask = variant.allowed(40)
    needed = layers_needed(mask, 3)
    x = torch.eye(40, requires_grad=True)
    mixed = x
    for layer in range(1, 4):
        mixed = mixed + mask.float() @ mixed
        assert torch.equal(mixed.detach() > 0, (needed >= 0) & (needed <= layer))
    assert needed.diagonal().eq(0).all()


def test_a_window_reaches_as_far_as_its_layers_times_its_width():
    needed = layers_needed(SlidingWindow(window=5).allowed(60), 3)
    assert [(needed[50] == layer).sum().item() for layer in (0, 1, 2, 3)] == [1, 4, 4, 4]
    assert needed[50, 50 - 12] == 3
    assert needed[50, 50 - 13] == -1


def test_over_a_global_token_everything_is_two_layers_away():
    needed = layers_needed(BigBird(block=4, window=1, random=0, global_tokens=1, causal=False).allowed(64), 2)
    assert (needed >= 0).all()
    assert needed.max() == 2


@pytest.mark.parametrize("variant", [SlidingWindow(window=4), BigBird(block=4, window=1, random=1, global_tokens=2)])
def test_one_query_hears_what_its_row_of_the_powers_says(variant, monkeypatch):
    monkeypatch.setattr("core.efficient.sparse_reach.TILE", 100)
    needed = layers_needed(variant.allowed(50), 4)
    for layer, heard in enumerate(reachable_keys(variant, 50, 47, 4), start=1):
        assert torch.equal(heard, (needed[47] >= 0) & (needed[47] <= layer))
