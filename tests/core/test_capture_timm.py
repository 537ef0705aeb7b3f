"""Every vision family of timm, against its own attention with the fused kernel switched off."""

import pytest
import torch

from core.capture import record_attention
from tests.core.tiny_models import HEADS, TIMM_FAMILIES, all_weights, picture, tiny_timm

WINDOWED = ["swin", "swinv2"]


def side_of(family):
    return 32 if family in WINDOWED else 16


def switch_kernel(model, *, fused):
    for module in model.modules():
        if hasattr(module, "fused_attn"):
            module.fused_attn = fused


def unfused_weights(family, pixels):
    """What timm's own modules hand to their attention dropout."""
    model, weights = tiny_timm(family), []
    switch_kernel(model, fused=False)
    for path, module in model.named_modules():
        if path.endswith("attn_drop"):
            module.register_forward_pre_hook(lambda _, args: weights.append(args[0]))
    with torch.inference_mode():
        model(pixels)
    return weights


@pytest.mark.parametrize("family", TIMM_FAMILIES)
def test_weights_match_the_unfused_attention_of_timm(family):
    model, pixels = tiny_timm(family), picture(side=side_of(family))
    with torch.inference_mode(), record_attention(model) as record:
        model(pixels)
    expected = unfused_weights(family, pixels)
    assert len(record.calls) == len(expected) > 0
    for call, weights in zip(record.calls, expected, strict=True):
        torch.testing.assert_close(all_weights(call), weights, atol=1e-5, rtol=0)
        assert call.path.endswith(".attn")
        assert (call.kind, call.causal) == ("self", False)
    assert record.unseen == ()


def test_swin_is_the_same_through_the_fused_kernel():
    model, pixels = tiny_timm("swin"), picture(side=32)
    switch_kernel(model, fused=True)
    with torch.inference_mode(), record_attention(model) as record:
        model(pixels)
    for call, weights in zip(record.calls, unfused_weights("swin", pixels), strict=True):
        assert call.query is not None
        torch.testing.assert_close(all_weights(call), weights, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("family", "tokens"), [("vit", 17), ("deit-distilled", 18), ("dinov2-registers", 21), ("dinov3", 21)]
)
def test_class_distillation_and_register_tokens_are_among_the_tokens(family, tokens):
    model = tiny_timm(family)
    with torch.inference_mode(), record_attention(model) as record:
        model(picture())
    call = record["blocks.0.attn"]
    assert (call.batch_size, call.heads, call.query_length, call.key_length) == (2, HEADS, tokens, tokens)


def test_a_window_of_swin_is_an_item_of_the_batch():
    model = tiny_timm("swin")
    with torch.inference_mode(), record_attention(model) as record:
        model(picture(side=32))
    call = record["layers.0.blocks.0.attn"]
    assert (call.batch_size, call.query_length) == (2 * 16, 16)  # two pictures of 4 x 4 windows of 4 x 4 tokens


def test_a_picture_model_in_bfloat16_matches_to_a_hundredth():
    model, pixels = tiny_timm("vit").bfloat16(), picture()
    with torch.inference_mode(), record_attention(model) as record:
        model(pixels.bfloat16())
    for call, weights in zip(record.calls, unfused_weights("vit", pixels), strict=True):
        torch.testing.assert_close(all_weights(call), weights, atol=1e-2, rtol=0)
