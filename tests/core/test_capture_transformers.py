"""Every family of the transformers library, against its own eager attention."""

import pytest
import torch

from core.capture import record_attention
from core.errors import CaptureError
from tests.core.tiny_models import (
    HEADS,
    PAIR_FAMILIES,
    PICTURE_FAMILIES,
    TEXT_FAMILIES,
    all_weights,
    inputs_of,
    tiny_transformers,
    tokens,
)

TEXT = [*TEXT_FAMILIES, *PAIR_FAMILIES]
GROUPED = ["llama", "qwen3", "mistral"]
SEEN_THROUGH_SOFTMAX = ["deberta-v2", "gemma2"]  # disentangled and soft-capped scores: no fused kernel has them


def recorded(model, **inputs):
    with torch.inference_mode(), record_attention(model) as record:
        model(**inputs)
    return record


def eager_attentions(family, inputs, dtype=torch.float32):
    """The library's own weights, in the order in which its modules run."""
    model = tiny_transformers(family, attention="eager").to(dtype)
    with torch.inference_mode():
        outputs = model(**inputs, output_attentions=True)
    if family not in PAIR_FAMILIES:
        return list(outputs.attentions)
    layers = zip(outputs.decoder_attentions, outputs.cross_attentions, strict=True)
    return [*outputs.encoder_attentions, *(weights for layer in layers for weights in layer)]


def assert_same_weights(record, expected, **tolerance):
    assert len(record.calls) == len(expected)
    for call, weights in zip(record.calls, expected, strict=True):
        torch.testing.assert_close(all_weights(call), weights.float(), rtol=0, **tolerance)


@pytest.mark.parametrize("family", [*TEXT, *PICTURE_FAMILIES])
def test_weights_match_eager_attention_of_the_reference_library(family):
    record = recorded(tiny_transformers(family), **inputs_of(family))
    assert_same_weights(record, eager_attentions(family, inputs_of(family)), atol=1e-5)
    assert record.unseen == ()


@pytest.mark.parametrize("family", TEXT)
def test_padded_texts_are_masked_as_in_the_reference_library(family):
    inputs = inputs_of(family, padded=True)
    record = recorded(tiny_transformers(family), **inputs)
    assert_same_weights(record, eager_attentions(family, inputs), atol=1e-5)
    assert all_weights(record.calls[0])[1, :, :5, 5:].max() == 0


@pytest.mark.parametrize("family", ["bert", "gpt2", "llama", "t5", "gemma2"])
def test_weights_of_a_bfloat16_model_match_to_three_hundredths(family):
    # Eager attention rounds scores and weights to bfloat16 (8 bits), T5's unscaled scores up to 30;
    # ours are computed in float32 from the model's bfloat16 queries and keys.
    record = recorded(tiny_transformers(family).bfloat16(), **inputs_of(family))
    assert_same_weights(record, eager_attentions(family, inputs_of(family), torch.bfloat16), atol=3e-2)
    assert record.calls[0].weights(0).dtype == torch.float32


@pytest.mark.parametrize("family", SEEN_THROUGH_SOFTMAX)
def test_attention_without_a_fused_kernel_is_seen_through_its_softmax(family):
    call = recorded(tiny_transformers(family), **inputs_of(family)).calls[0]
    assert call.query is None
    assert call.value.shape == (2, HEADS, 7, 8)
    with pytest.raises(CaptureError, match="seen through its softmax"):
        call.scores()


def test_paths_are_those_of_the_modules_that_attend():
    record = recorded(tiny_transformers("bert"), **inputs_of("bert"))
    assert [call.path for call in record.calls] == [f"encoder.layer.{n}.attention.self" for n in (0, 1)]
    assert record["encoder.layer.1.attention.self"] is record.calls[1]


@pytest.mark.parametrize("family", PAIR_FAMILIES)
def test_cross_attention_is_told_from_self_attention_when_both_texts_are_equally_long(family):
    record = recorded(tiny_transformers(family), **inputs_of(family))
    crosses = [call.kind == "cross" for call in record.calls]
    assert crosses == ["EncDec" in call.path or "encoder_attn" in call.path for call in record.calls]
    assert crosses.count(True) == 2


@pytest.mark.parametrize("family", TEXT)
def test_causal_is_what_the_model_does(family):
    for call in recorded(tiny_transformers(family), **inputs_of(family, padded=True)).calls:
        looks_ahead = all_weights(call)[0].triu(1).max() > 0
        assert call.causal == (not looks_ahead)


@pytest.mark.parametrize("family", GROUPED)
def test_grouped_query_models_have_query_heads_and_keep_few_keys(family):
    call = recorded(tiny_transformers(family), **inputs_of(family)).calls[0]
    assert call.heads == HEADS
    assert call.query.shape == call.key.shape == call.value.shape == (2, HEADS, 7, 8)
    torch.testing.assert_close(call.output(3, 1), call.weights(3, 1) @ call.value[1, 3])


@pytest.mark.parametrize("family", ["gpt2", *GROUPED, "gemma2", "t5", "bart"])
def test_decoding_with_a_cache_is_the_last_row_of_the_whole_text(family):
    model = tiny_transformers(family)
    inputs = inputs_of(family)
    name = "decoder_input_ids" if family in PAIR_FAMILIES else "input_ids"
    with torch.inference_mode():
        cache = model(**{**inputs, name: inputs[name][:, :-1]}, use_cache=True).past_key_values
        with record_attention(model) as step:
            last = {name: inputs[name][:, -1:], "past_key_values": cache}
            if family in PAIR_FAMILIES:
                last["encoder_outputs"] = (model.encoder(inputs["input_ids"])[0],)
                step_calls_before = len(step.calls)
            model(**last)
    decoder = [call for call in recorded(model, **inputs).calls if "encoder." not in call.path]
    steps = step.calls[step_calls_before:] if family in PAIR_FAMILIES else step.calls
    assert [(call.path, call.kind, call.heads) for call in steps] == [(c.path, c.kind, c.heads) for c in decoder]
    for one, all_of_them in zip(steps, decoder, strict=True):
        torch.testing.assert_close(all_weights(one)[:, :, -1], all_weights(all_of_them)[:, :, -1, -one.key_length :])


def test_a_module_that_ran_twice_is_not_taken_for_one_call():
    model = tiny_transformers("gpt2")
    with torch.inference_mode(), record_attention(model) as record:
        model(tokens())
        model(tokens())
    with pytest.raises(CaptureError, match=r"'h.1.attn' ran 2 times.*record\.calls"):
        record["h.1.attn"]
