"""Records as files, and as one map of all steps of writing."""

import jaxtyping
import pytest
import torch
from torch import nn
from transformers import BartConfig, BartForConditionalGeneration

from core.capture import Record, edit_attention, record_attention
from core.errors import CaptureError
from tests.core.test_capture_corner_cases import a_gpt
from tests.core.test_capture_coverage import WrittenAttention
from tests.core.tiny_models import WIDTH, tiny_gpt, tokens

X = torch.randn(2, 6, WIDTH, generator=torch.Generator().manual_seed(0))


def recorded(model, *inputs):
    with torch.inference_mode(), record_attention(model) as record:
        model(*inputs)
    return record


def pairs():
    torch.manual_seed(0)
    yield tiny_gpt().eval(), (tokens(),)
    yield nn.Sequential(WrittenAttention(), WrittenAttention()).eval(), (X,)
    padded = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(WIDTH, 4, batch_first=True), 2, enable_nested_tensor=False
    )
    yield padded.eval(), (X, None, torch.tensor([[False] * 6, [False] * 4 + [True] * 2]))


@pytest.mark.parametrize("number", range(3))
def test_what_is_saved_is_read_again(tmp_path, number):
    model, inputs = list(pairs())[number]
    record = recorded(model, *inputs)
    record.save(tmp_path / "run.safetensors")
    again = Record.load(tmp_path / "run.safetensors")
    assert repr(again) == repr(record)
    assert again.paths == record.paths
    for one, other in zip(again, record, strict=True):
        torch.testing.assert_close(one.weights(), other.weights(), equal_nan=True, rtol=0, atol=0)
        torch.testing.assert_close(one.output(1), other.output(1), equal_nan=True, rtol=0, atol=0)
        assert one.causal == other.causal
    assert again.unseen == ()


def test_labels_are_kept_with_the_record_and_shown_and_saved(tmp_path):
    model, labels = tiny_gpt().eval(), ["Who", "looks", "at", "whom", "and", "why", "?"]
    with torch.inference_mode(), record_attention(model, tokens=labels) as record:
        model(tokens())
    assert record.tokens == tuple(labels)
    assert all(f'"{label}"' in record.show().text for label in labels)
    record.save(tmp_path / "run.safetensors")
    assert Record.load(tmp_path / "run.safetensors").tokens == tuple(labels)


@pytest.mark.parametrize(
    "labels", [torch.arange(7), list(range(7)), 7, [b"a"] * 7, [["a"] * 7, list(range(7))]], ids=repr
)
def test_labels_that_are_no_strings_get_a_sentence(labels, monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)  # as for a reader, whose types nobody checks
    record = recorded(tiny_gpt().eval(), tokens())
    for show in (
        lambda: record.show(labels),
        lambda: record.show(key_tokens=labels),
        lambda: Record([], tokens=labels),
    ):
        with pytest.raises(CaptureError, match="Labels are strings, one for each token"):
            show()


def test_an_edited_head_is_saved_as_it_was(tmp_path):
    model = tiny_gpt().eval()
    with torch.inference_mode(), edit_attention(model, {("blocks.0.attention", 1): "uniform"}):
        record = recorded(model, tokens())
    record.save(tmp_path / "run.safetensors")
    again = Record.load(tmp_path / "run.safetensors")
    assert torch.equal(again[0].weights(), record[0].weights())
    assert again[0].weights(1)[2].tolist() == pytest.approx([1 / 3] * 3 + [0.0] * (again[0].key_length - 3))


def test_a_mask_that_layers_share_is_written_once(tmp_path):
    model, inputs = list(pairs())[2]
    record = recorded(model, *inputs)
    file = tmp_path / "run.safetensors"
    record.save(file)
    parts = sum(3 * call.query.numel() * 4 for call in record if call.product)
    assert file.stat().st_size < parts + 8_000


def test_a_file_without_a_record_gets_a_sentence(tmp_path):
    with pytest.raises(CaptureError, match="There is no file"):
        Record.load(tmp_path / "none.safetensors")
    (tmp_path / "odd").write_bytes(b"\x00" * 40)
    with pytest.raises(CaptureError, match=r"holds no record of attention.*record\.save"):
        Record.load(tmp_path / "odd")
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(2)}, tmp_path / "other.safetensors")
    with pytest.raises(CaptureError, match="holds no record"):
        Record.load(tmp_path / "other.safetensors")


PROMPT = torch.tensor([[5, 8, 2], [7, 7, 1]])


@pytest.mark.parametrize(
    "how", [{"use_cache": True}, {"use_cache": False}, {"use_cache": True, "cache_implementation": "static"}]
)
def test_the_steps_of_writing_make_the_map_of_the_whole_text(how):
    model = a_gpt()
    with torch.inference_mode(), record_attention(model) as record:
        written = model.generate(PROMPT, max_new_tokens=5, do_sample=False, **how)
    full_record = recorded(model, written[:, :-1])
    for path in full_record.paths:
        for item in range(2):
            merged = record.merged(path, item=item)
            torch.testing.assert_close(merged, full_record[path].weights(item=item), atol=1e-5, rtol=1e-4)


def test_along_the_beam_that_was_chosen():
    model = a_gpt()
    with torch.inference_mode(), record_attention(model) as record:
        generated = model.generate(
            PROMPT, max_new_tokens=6, num_beams=3, do_sample=False, return_dict_in_generate=True, output_scores=True
        )
    full_record = recorded(model, generated.sequences[:, :-1])
    path = full_record.paths[1]
    for text in range(2):
        merged = record.merged(path, beams=generated.beam_indices[text])
        torch.testing.assert_close(merged, full_record[path].weights(item=text), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("cached", [True, False])
def test_what_a_translation_looked_at_in_its_source(cached):
    torch.manual_seed(0)
    sizes = {f"{side}_{part}": 2 for side in ("encoder", "decoder") for part in ("layers", "attention_heads")}
    ends = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    widths = {"encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 64}
    model = BartForConditionalGeneration(BartConfig(vocab_size=40, d_model=16, **widths, **sizes, **ends)).eval()
    source = torch.tensor([[0, 9, 12, 30, 2]])
    with torch.inference_mode(), record_attention(model) as record:
        written = model.generate(source, max_new_tokens=6, do_sample=False, num_beams=1, use_cache=cached)
    with torch.inference_mode(), record_attention(model) as full_record:
        model(input_ids=source, decoder_input_ids=written[:, :-1])
    for path in ("model.decoder.layers.1.encoder_attn", "model.decoder.layers.1.self_attn"):
        torch.testing.assert_close(record.merged(path), full_record[path].weights(item=0), atol=1e-5, rtol=1e-4)


def test_another_text_at_the_same_path_is_refused():
    model = tiny_gpt().eval()
    with torch.inference_mode(), record_attention(model) as record:
        model(tokens())
        model(tokens())
    with pytest.raises(CaptureError, match="began another text"):
        record.merged("blocks.0.attention")
    with pytest.raises(CaptureError, match="No path matches"):
        record.merged("blocks.0.attn")
