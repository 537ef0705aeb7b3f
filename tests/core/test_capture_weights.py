"""Weights, tiles, normalisers and overviews: computed when somebody asks, and exactly."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from core.capture import edit_attention, product_weights, record_attention
from core.errors import CaptureError
from tests.core.tiny_models import inputs_of, picture, tiny_gpt, tiny_timm, tiny_transformers, tokens


class Bare(nn.Module):
    """Nothing but the fused call: any shape, any mask."""

    def forward(self, query, key, value, **options):
        return F.scaled_dot_product_attention(query, key, value, **options)


def call_of(*, queries=13, keys=13, batch=2, heads=3, key_heads=None, head_dim=8, dtype=torch.float32, **options):
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(batch, heads, queries, head_dim, generator=generator).to(dtype)
    key = torch.randn(batch, key_heads or heads, keys, head_dim, generator=generator).to(dtype)
    value = torch.randn(batch, key_heads or heads, keys, 5, generator=generator).to(dtype)
    model = Bare()
    with torch.inference_mode(), record_attention(model) as record:
        output = model(query, key, value, **options)
    return record.calls[0], output


def random_mask(*shape, share=0.7):
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(1)) < share
    mask[..., 0] = True
    return mask


CASES = {
    "plain": {},
    "causal": {"is_causal": True},
    "scaled": {"scale": 0.9},
    "grouped": {"heads": 4, "key_heads": 2, "enable_gqa": True},
    "longer keys": {"keys": 21},
    "boolean mask": {"attn_mask": random_mask(13, 13)},
    "mask for each input": {"attn_mask": random_mask(2, 1, 13, 13)},
    "added mask": {"attn_mask": torch.randn(1, 3, 13, 13, generator=torch.Generator().manual_seed(2))},
}


@pytest.mark.parametrize("case", CASES)
def test_weights_times_values_are_the_output_of_the_fused_kernel(case):
    call, output = call_of(**CASES[case])
    for item in range(call.batch_size):
        for head in range(call.heads):
            torch.testing.assert_close(call.output(head, item), output[item, head], atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(call.weights(head, item).sum(-1), torch.ones(call.query_length))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("held", [1, 13 * 13 * 2, 2**20])  # scores at once: one head, two, all
def test_the_weights_of_all_heads_are_those_of_each(case, held, monkeypatch):
    monkeypatch.setattr(product_weights, "CHUNK", held)
    call, _ = call_of(**CASES[case])
    for queries in (None, [0, 7, 12], slice(3, 9)):
        some = list(call.weights_by_heads(item=1, queries=queries))
        together = torch.cat(some)
        assert len(some) > 1 or held > 1
        for head in range(call.heads):
            torch.testing.assert_close(together[head], call.weights(head, 1, queries))


def test_the_weights_of_all_heads_are_those_of_each_when_some_were_edited():
    model, ids = tiny_gpt(), tokens()
    with torch.inference_mode(), record_attention(model) as plain:
        model(ids)
    path = plain.calls[0].path
    with torch.inference_mode(), edit_attention(model, {(path, 1): "uniform"}), record_attention(model) as record:
        model(ids)
    together = torch.cat(list(record[path].weights_by_heads()))
    for head in range(record[path].heads):
        torch.testing.assert_close(together[head], record[path].weights(head))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("normaliser_known", [False, True])
def test_a_tile_is_that_part_of_the_whole_map(case, normaliser_known):
    call, _ = call_of(**CASES[case])
    full_map = call.weights(2, 1)
    if normaliser_known:
        assert call.log_normaliser.shape == call.shape[:3]
    for queries, keys in [
        (slice(3, 9), slice(5, 12)),
        (4, None),
        ([7, 2], [0, 12, 3]),
        (None, 6),
        (slice(None, None, 2), 1),
    ]:
        rows = [queries] if isinstance(queries, int) else slice(None) if queries is None else queries
        columns = [keys] if isinstance(keys, int) else slice(None) if keys is None else keys
        tile = call.weights(2, 1, queries, keys)
        torch.testing.assert_close(tile, full_map[rows][:, columns], atol=1e-6, rtol=0)


@pytest.mark.parametrize("case", CASES)
def test_the_log_normaliser_is_logsumexp_of_the_masked_scores(case):
    call, _ = call_of(**CASES[case])
    scores = (call.query @ call.key.mT) * CASES[case].get("scale", 8**-0.5)
    mask = CASES[case].get("attn_mask")
    if case == "causal":
        mask = torch.ones(13, 13, dtype=torch.bool).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    torch.testing.assert_close(call.log_normaliser, scores.logsumexp(-1), atol=1e-5, rtol=1e-5)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 45), st.sampled_from(["mean", "max"]), st.booleans())
def test_each_cell_of_an_overview_is_its_block_of_weights(queries, keys, size, reduce, causal):
    call, _ = call_of(queries=queries, keys=keys, batch=1, heads=1, is_causal=causal)
    weights, overview = call.weights(0), call.overview(size=size, reduce=reduce)
    tall, wide = math.ceil(queries / size), math.ceil(keys / size)
    assert max(overview.shape) <= size
    assert overview.shape == (math.ceil(queries / tall), math.ceil(keys / wide))
    for row, cells in enumerate(overview):
        for column, cell in enumerate(cells):
            block = weights[row * tall : (row + 1) * tall, column * wide : (column + 1) * wide]
            torch.testing.assert_close(cell, getattr(block, "amax" if reduce == "max" else "mean")(), atol=1e-6, rtol=0)


@pytest.mark.parametrize("case", CASES)
def test_a_map_that_is_summed_up_in_pieces_is_the_same(case, monkeypatch):
    call, _ = call_of(**CASES[case])
    expected, normaliser, output = call.overview(1, 1, size=4), call.log_normaliser, call.output(1, 1)
    monkeypatch.setattr(product_weights, "CHUNK", 2 * call.key_length)  # two rows at a time
    pieces, _ = call_of(**CASES[case])
    torch.testing.assert_close(pieces.overview(1, 1, size=4), expected)
    torch.testing.assert_close(pieces.log_normaliser, normaliser)
    torch.testing.assert_close(pieces.output(1, 1), output)


def test_a_query_that_may_look_at_nothing_is_shown_as_nan():
    mask = torch.ones(13, 13, dtype=torch.bool)
    mask[4] = False
    call, output = call_of(attn_mask=mask)
    assert call.weights(0)[4].isnan().all()
    assert call.weights(0, keys=slice(3))[4].isnan().all()
    assert call.log_normaliser[0, 0, 4] == -math.inf
    assert call.overview(size=13)[4].isnan().all()
    assert call.weights(0)[[3, 5]].isfinite().all()
    assert output[0, 0, 4].abs().max() == 0  # torch's kernel gives zeros there, which are no weights


def test_nan_in_a_query_is_shown_and_stays_in_its_row():
    model, query = Bare(), torch.randn(1, 1, 6, 8)
    query[0, 0, 2, 3] = math.nan
    with record_attention(model) as record:
        model(query, torch.randn(1, 1, 6, 8), torch.randn(1, 1, 6, 8))
    assert record.calls[0].weights(0).isnan().any(-1).tolist() == [False, False, True, False, False, False]
    assert record.calls[0].overview(size=3).isnan().any(-1).tolist() == [False, True, False]


@pytest.mark.parametrize("shape", [(6, 8), (3, 6, 8), (2, 3, 6, 8), (2, 5, 3, 6, 8)], ids=len)
def test_calls_with_fewer_or_more_axes_are_read_as_batch_and_heads(shape):
    query, key, value = torch.randn(3, *shape, generator=torch.Generator().manual_seed(0))
    model = Bare()
    with record_attention(model) as record:
        output = model(query, key, value)
    call = record.calls[0]
    outputs = torch.stack([torch.stack([call.output(h, b) for h in range(call.heads)]) for b in range(call.batch_size)])
    torch.testing.assert_close(outputs.reshape(output.shape), output, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"head": 3}, "has no head 3: they are numbered 0 to 2"),
        ({"head": -1}, "has no head -1"),
        ({"item": 2}, "has no item 2: they are numbered 0 to 1"),
        ({"queries": 13}, "has the positions 0 to 12 here, not 13"),
    ],
)
def test_what_does_not_exist_is_an_error_with_the_numbers(choice, message):
    call, _ = call_of()
    with pytest.raises(CaptureError, match=message):
        call.weights(**choice)


def test_an_overview_needs_a_size_and_a_rule():
    call, _ = call_of()
    with pytest.raises(CaptureError, match="at least 1 cell, not 0"):
        call.overview(size=0)


def held_bytes(record):
    """The storages that a record keeps alive, each counted once."""
    tensors = [t for call in record.calls for t in (call.product.query, call.product.key, call.product.value)]
    return sum({t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}.values())


def test_a_record_holds_at_most_twice_the_bytes_of_queries_keys_and_values():
    for model, inputs in ((tiny_gpt(), tokens()), (tiny_timm("vit"), picture()), (tiny_timm("eva02"), picture())):
        with torch.inference_mode(), record_attention(model) as record:
            model(inputs)
        needed = sum(3 * call.query.numel() * call.query.element_size() for call in record.calls)
        assert held_bytes(record) <= 2 * needed


def test_a_small_view_does_not_keep_its_large_base_alive():
    model, base = Bare(), torch.randn(1, 1, 1000, 8)
    with record_attention(model) as record:
        model(base[:, :, :10], base[:, :, 10:20], base[:, :, 20:30])
    assert held_bytes(record) == 3 * 10 * 8 * 4


def test_keys_that_were_expanded_for_several_heads_are_kept_once():
    model, base = Bare(), torch.randn(1, 1, 100, 8)
    with record_attention(model) as record:
        model(torch.randn(1, 4, 10, 8), *[base[:, :, :10].expand(1, 4, 10, 8)] * 2)
    assert record.calls[0].product.key.untyped_storage().nbytes() == 10 * 8 * 4


def test_a_record_holds_no_graph():
    model = tiny_gpt()
    with record_attention(model) as record:
        model(tokens())
    assert not any(call.query.requires_grad or call.weights(0).requires_grad for call in record.calls)


def test_weights_are_those_before_dropout():
    query = torch.randn(1, 2, 6, 8)
    model = Bare()
    with record_attention(model) as record:
        model(query, query, query, dropout_p=0.9)
    torch.testing.assert_close(record.calls[0].weights(0).sum(-1), torch.ones(6))


def test_layers_with_equal_masks_keep_one():
    model = tiny_transformers("t5")
    with torch.inference_mode(), record_attention(model) as record:
        model(**inputs_of("t5", padded=True))
    masks = {call.path: call.product.mask.data_ptr() for call in record.calls}
    assert masks["decoder.block.0.layer.0.SelfAttention"] == masks["decoder.block.1.layer.0.SelfAttention"]
    assert len(set(masks.values())) == 3  # encoder, decoder, from one to the other
