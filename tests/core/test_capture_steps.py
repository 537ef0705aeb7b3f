"""`record.merged` under every kind of cache, against the library's eager run over the whole text."""

import functools

import pytest
import torch
from torch import nn
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    Gemma2Config,
    Gemma2ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    QuantizedCache,
)

from core.capture import record_attention
from core.errors import CaptureError

SMALL = {
    **dict.fromkeys(("hidden_size", "intermediate_size"), 32),
    **{"vocab_size": 60, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8},
    **{"bos_token_id": 0, "eos_token_id": None, "pad_token_id": 0, "max_position_embeddings": 64},
}
UNTIED = {**SMALL, "tie_word_embeddings": False}  # else a random Gemma repeats its last token
WINDOW = 4
FAMILIES = {
    "dynamic or full": (LlamaForCausalLM, LlamaConfig(**SMALL)),
    "sliding": (MistralForCausalLM, MistralConfig(**SMALL, sliding_window=WINDOW)),
    "mixed": (
        Gemma3ForCausalLM,
        Gemma3TextConfig(**UNTIED, sliding_window=WINDOW, layer_types=["sliding_attention", "full_attention"]),
    ),
    "by its softmax": (Gemma2ForCausalLM, Gemma2Config(**UNTIED, sliding_window=WINDOW)),
}
PROMPT = torch.tensor([[5, 8, 2], [7, 7, 1]])
NEW = 8


@functools.cache
def a_model(family):
    """A decoder whose random weights are large enough that each text is another one."""
    torch.manual_seed(0)
    kind, config = FAMILIES[family]
    model = kind(config).eval()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=0.3)
    return model


def eager_maps(model, tokens, **how):
    weight_sharing_copy = type(model)(model.config).eval()
    weight_sharing_copy.load_state_dict(model.state_dict())
    weight_sharing_copy.set_attn_implementation("eager")
    with torch.no_grad():
        return weight_sharing_copy(tokens, output_attentions=True, use_cache=False, **how).attentions


def written(model, prompt, **how):
    with torch.no_grad(), record_attention(model) as record:
        output = model.generate(
            prompt, max_new_tokens=NEW, do_sample=False, return_dict_in_generate=True, output_scores=True, **how
        )
    return record, output


def assert_merged(record, maps, item, **how):
    for path, weights in zip(record.paths, maps, strict=True):
        merged = record.merged(path, item, **how)
        torch.testing.assert_close(merged, weights[item], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("how", [{}, {"cache_implementation": "static"}, {"use_cache": False}], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_keys_stand_where_they_stand_in_the_text_whatever_the_cache(family, how):
    model = a_model(family)
    record, output = written(model, PROMPT, **how)
    maps = eager_maps(model, output.sequences[:, :-1])
    for item in range(len(PROMPT)):
        assert_merged(record, maps, item)


def test_a_prompt_longer_than_the_window_and_one_that_is_read_in_pieces():
    model = a_model("sliding")
    prompt = torch.tensor([[5, 8, 2, 9, 11, 30, 4]])
    for how in ({}, {"prefill_chunk_size": 3}):
        record, output = written(model, prompt, **how)
        assert_merged(record, eager_maps(model, output.sequences[:, :-1]), 0)


@pytest.mark.parametrize("family", ["dynamic or full", "sliding", "by its softmax"])
def test_beams_are_followed_and_never_mixed(family):
    model = a_model(family)
    record, output = written(model, PROMPT, num_beams=3)
    maps = eager_maps(model, output.sequences[:, :-1])
    for item, beams in enumerate(output.beam_indices):
        for path, weights in zip(record.paths, maps, strict=True):
            torch.testing.assert_close(record.merged(path, beams=beams), weights[item], atol=1e-5, rtol=1e-4)
    crossed = [place for place in range(6) if _refused(record, place)]
    assert crossed, "Some hypothesis of this search changes its place in the batch."
    with pytest.raises(CaptureError, match=rf"input {crossed[0]} continues what input \d had read.*beam_indices"):
        record.merged(record.paths[-1], crossed[0])


def _refused(record, place):
    try:
        record.merged(record.paths[-1], place)
    except CaptureError:
        return True
    return False


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_of_rejected_drafts_are_replaced(family):
    model, noise = a_model(family), torch.Generator().manual_seed(1)
    assistant = type(model)(model.config).eval()
    assistant.load_state_dict(model.state_dict())
    for parameter in assistant.parameters():
        parameter.data += 0.3 * torch.randn(parameter.shape, generator=noise)
    record, output = written(model, PROMPT[:1], assistant_model=assistant)
    read = output.sequences.shape[1] - 1
    rows = sum(call.query_length for call in record if call.path == record.paths[0])
    assert rows > read, "A draft was rejected."
    assert_merged(record, eager_maps(model, output.sequences[:, :-1]), 0, length=read)


def test_a_last_draft_is_refused_until_the_length_of_the_text_is_known():
    model = a_model("sliding")
    prompt = torch.tensor([[5, 8, 2, 5, 8, 2, 5, 8]])
    with torch.no_grad(), record_attention(model) as record:
        cache = model(prompt, use_cache=True).past_key_values
        model(torch.tensor([[2, 40, 41]]), past_key_values=cache)
    path = record.paths[0]
    with pytest.raises(CaptureError, match=r"read 3 tokens at once.*`length`"):
        record.merged(path)
    full_maps = eager_maps(model, torch.tensor([[5, 8, 2, 5, 8, 2, 5, 8, 2, 40, 41]]))
    torch.testing.assert_close(record.merged(path, length=9), full_maps[0][0, :, :9, :9], atol=1e-5, rtol=1e-4)
    with pytest.raises(CaptureError, match="read 11 tokens, so a text of 12"):
        record.merged(path, length=12)


def test_a_quantised_cache_shows_what_each_step_used():
    model = a_model("dynamic or full")
    how = {"cache_implementation": "quantized", "cache_config": {"backend": "fp8"}}
    record, output = written(model, PROMPT, **how)
    model.set_attn_implementation("eager")
    try:
        theirs = model.generate(
            PROMPT, max_new_tokens=NEW, do_sample=False, return_dict_in_generate=True, output_attentions=True, **how
        )
    finally:
        model.set_attn_implementation("sdpa")
    assert torch.equal(theirs.sequences, output.sequences)
    for layer, path in enumerate(record.paths):
        for item in range(len(PROMPT)):
            rows = [step[layer][item] for step in theirs.attentions]
            last = record.merged(path, item)[:, -1:]
            torch.testing.assert_close(last, rows[-1], atol=1e-5, rtol=1e-4)
            torch.testing.assert_close(record.merged(path, item)[:, 3:4, :4], rows[1], atol=1e-5, rtol=1e-4)


class Coarse(QuantizedCache):
    """A cache that keeps the sign of a key and nothing else."""

    def update(self, keys, values, layer, *args, **kwargs):
        all_keys, values = super().update(keys, values, layer, *args, **kwargs)
        return torch.cat([all_keys[..., : -keys.shape[-2], :].sign(), keys], dim=-2), values


def test_a_cache_that_keeps_too_little_of_its_keys_is_refused():
    model = a_model("dynamic or full")
    record, _ = written(model, PROMPT[:1], past_key_values=Coarse("fp8", model.config))
    with pytest.raises(CaptureError, match="are not those of the step before"):
        record.merged(record.paths[0])


def test_what_began_before_the_record_and_two_texts_in_one_record_are_refused():
    model = a_model("dynamic or full")
    with torch.no_grad():
        cache = model(PROMPT, use_cache=True).past_key_values
        with record_attention(model) as record:
            model(torch.tensor([[4], [5]]), past_key_values=cache)
        with pytest.raises(CaptureError, match="begins with 3 keys from a cache"):
            record.merged(record.paths[0])
        with record_attention(model) as record:
            model(PROMPT)
            model(torch.tensor([[9, 8, 7, 6, 5], [9, 9, 9, 9, 9]]))
        with pytest.raises(CaptureError, match="began another text after 3 tokens"):
            record.merged(record.paths[0])


@functools.cache
def a_translator():
    torch.manual_seed(0)
    sizes = {f"{side}_{part}": 2 for side in ("encoder", "decoder") for part in ("layers", "attention_heads")}
    widths = {"d_model": 16, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 64}
    ends = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": None, "decoder_start_token_id": 2}
    model = BartForConditionalGeneration(
        BartConfig(vocab_size=40, forced_eos_token_id=None, **widths, **sizes, **ends)
    ).eval()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=0.4)
    return model


def test_cross_attention_follows_beams_and_refuses_to_mix_them():
    model, source = a_translator(), torch.tensor([[0, 9, 12, 30, 2], [0, 33, 7, 21, 2]])
    with torch.no_grad(), record_attention(model) as record:
        output = model.generate(source, max_new_tokens=6, num_beams=3, do_sample=False, return_dict_in_generate=True)
    path = "model.decoder.layers.1.encoder_attn"
    with torch.no_grad(), record_attention(model) as full_record:
        model(input_ids=source, decoder_input_ids=output.sequences[:, :-1])
    for item, beams in enumerate(output.beam_indices):
        own = full_record[path].weights(item=item)
        torch.testing.assert_close(record.merged(path, beams=beams), own, atol=1e-5, rtol=1e-4)
    refused = []
    for place in range(6):
        try:
            record.merged(path, place)
        except CaptureError as error:
            refused.append(str(error))
    assert refused
    assert "beam_indices" in refused[0]
