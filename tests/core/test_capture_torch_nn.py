"""The attention modules of torch.nn, whose fast path is C++ that nothing can look into."""

import pytest
import torch
from torch import nn

from core.capture import record_attention
from tests.core.tiny_models import HEADS, WIDTH, all_weights, tiny_encoder


def source(*, length=5, seed=2):
    return torch.randn(2, length, WIDTH, generator=torch.Generator().manual_seed(seed))


def padding():
    mask = torch.zeros(2, 5, dtype=torch.bool)
    mask[1, 3:] = True
    return mask


def attention_module(**options):
    torch.manual_seed(0)
    return nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, **options).eval()


def own_weights(model, *args, **kwargs):
    """What each MultiheadAttention in a model answers if it is asked for its weights, with the inputs it got."""
    weights = {}

    def ask(module, inputs, named, path):
        options = {**named, "need_weights": True, "average_attn_weights": False}
        weights[path] = module.forward(*inputs, **options)[1].detach()

    handles = [
        module.register_forward_pre_hook(lambda m, a, k, path=path: ask(m, a, k, path), with_kwargs=True)
        for path, module in model.named_modules()
        if isinstance(module, nn.MultiheadAttention)
    ]
    model(*args, **kwargs)  # with gradients: without them the encoder would leave padding out of its computation
    for handle in handles:
        handle.remove()
    return weights


def assert_recorded(model, *args, **kwargs):
    expected = own_weights(model, *args, **kwargs)
    with torch.inference_mode(), record_attention(model) as record:
        model(*args, **kwargs)
    assert [call.path for call in record.calls] == list(expected)
    for call in record.calls:
        torch.testing.assert_close(all_weights(call), expected[call.path], atol=1e-5, rtol=0)
    return record


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("options", [{}, {"add_zero_attn": True}, {"add_bias_kv": True}, {"bias": False}], ids=str)
def test_multihead_attention_is_seen_with_and_without_its_own_weights(need_weights, options):
    model = attention_module(**options)
    x = source()
    with torch.inference_mode():
        expected = model(x, x, x, key_padding_mask=padding(), average_attn_weights=False)[1]
        with record_attention(model) as record:
            model(x, x, x, key_padding_mask=padding(), need_weights=need_weights)
    call = record[""]  # the model is the attention module itself
    assert (call.batch_size, call.heads, call.kind) == (2, HEADS, "self")
    torch.testing.assert_close(all_weights(call), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("need_weights", [True, False])
def test_multihead_attention_with_a_causal_mask_is_causal(need_weights):
    model, x = attention_module(), source()
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    with torch.inference_mode(), record_attention(model) as record:
        model(x, x, x, attn_mask=mask, is_causal=True, need_weights=need_weights)
    assert record[""].causal
    assert all_weights(record[""]).triu(1).max() == 0


@pytest.mark.parametrize("need_weights", [True, False])
def test_keys_of_another_equally_long_sequence_are_cross_attention(need_weights):
    model, memory = attention_module(), source(seed=3)
    with torch.inference_mode(), record_attention(model) as record:
        model(source(), memory, memory, need_weights=need_weights)
    assert record[""].kind == "cross"


def test_different_widths_of_keys_and_values_are_seen():
    model = attention_module(kdim=12, vdim=20)
    with torch.inference_mode(), record_attention(model) as record:
        model(source(), torch.randn(2, 5, 12), torch.randn(2, 5, 20), need_weights=False)
    assert record[""].kind == "cross"


@pytest.mark.parametrize("mask", [None, padding()], ids=["whole", "padded"])
def test_the_encoder_is_seen_although_it_would_take_the_fast_path(mask):
    record = assert_recorded(tiny_encoder(), source(), src_key_padding_mask=mask)
    assert [call.path for call in record.calls] == ["layers.0.self_attn", "layers.1.self_attn"]
    assert all(call.query is not None for call in record.calls)


def test_the_transformer_has_self_and_cross_attention():
    torch.manual_seed(0)
    model = nn.Transformer(WIDTH, HEADS, 2, 2, 48, batch_first=True).eval()
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    record = assert_recorded(model, source(), source(seed=3), tgt_mask=mask)
    kinds = {call.path: (call.kind, call.causal) for call in record.calls}
    assert kinds["encoder.layers.0.self_attn"] == ("self", False)
    assert kinds["decoder.layers.0.self_attn"] == ("self", True)
    assert kinds["decoder.layers.0.multihead_attn"] == ("cross", False)


def test_the_fast_path_is_as_before_for_everybody_else():
    before = torch.backends.mha.get_fastpath_enabled()
    model = tiny_encoder()
    with torch.inference_mode(), record_attention(model):
        model(source())
        assert torch.backends.mha.get_fastpath_enabled() == before
