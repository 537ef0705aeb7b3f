"""An input of a padded batch is what it is alone: the same maps, measures and labels."""

import pytest
import torch
from torch import nn

from core.capture import Record, record_attention
from core.errors import CaptureError
from core.heads import measures
from tests.core.tiny_models import tiny_transformers

SHORT, LONG = [5, 9, 3], [7, 2, 8, 4, 6]
LABELS = [["five", "nine", "three", "", ""], ["a", "b", "c", "d", "e"]]
RIGHT, LEFT = torch.tensor([[1, 1, 1, 0, 0], [1] * 5]), torch.tensor([[0, 0, 1, 1, 1], [1] * 5])


def batch(mask):
    rows = torch.zeros(2, 5, dtype=torch.long)
    rows[0, mask[0].bool()], rows[1] = torch.tensor(SHORT), torch.tensor(LONG)
    return rows


def recorded(model, mask=None, *, pass_mask=True, **inputs):
    with torch.inference_mode(), record_attention(model, attention_mask=mask, tokens=LABELS) as record:
        model(**inputs, **({"attention_mask": mask} if mask is not None and pass_mask else {}))
    return record


CASES = {
    "bert": (RIGHT, {}),
    "llama": (LEFT, {}),
    "gpt2": (LEFT, {"position_ids": (LEFT.cumsum(-1) - 1).clamp(min=0)}),
}


@pytest.mark.parametrize("form", ["sdpa", "eager"])
@pytest.mark.parametrize("family", CASES)
def test_each_input_has_the_maps_and_measures_of_a_run_of_its_own(family, form):
    mask, more = CASES[family]
    model = tiny_transformers(family)
    model.set_attn_implementation(form)
    padded = recorded(model, mask, input_ids=batch(mask), **more)
    for item, ids in enumerate((SHORT, LONG)):
        own, alone = padded.item(item), recorded(model, input_ids=torch.tensor([ids]))
        assert [call.shape for call in own] == [call.shape for call in alone]
        for one, other in zip(own, alone, strict=True):
            torch.testing.assert_close(one.weights(), other.weights(), atol=1e-5, rtol=0)
            torch.testing.assert_close(one.output(1), other.output(1), atol=1e-4, rtol=0)
            entropies = (measures.entropy(call.weights(item=0)).mean(-1) for call in (one, other))
            torch.testing.assert_close(*entropies, atol=1e-4, rtol=0)
            assert one.causal is other.causal


def test_labels_go_with_their_tokens():
    model = tiny_transformers("bert")
    record = recorded(model, RIGHT, input_ids=batch(RIGHT))
    assert record.item(0).tokens == ("five", "nine", "three")
    assert record.item(1).tokens == tuple(LABELS[1])
    assert record.item(0).show().content == record.show().content
    assert record.show(item=1).content != record.show().content
    assert b"three" in record.show().content


def test_a_file_keeps_what_is_padding(tmp_path):
    record = recorded(tiny_transformers("bert"), RIGHT, input_ids=batch(RIGHT))
    record.save(tmp_path / "run.safetensors")
    read = Record.load(tmp_path / "run.safetensors").item(0)
    assert read.tokens == ("five", "nine", "three")
    assert read.stack().equal(record.item(0).stack())


def test_padding_that_the_model_was_not_told_of_is_not_taken_away():
    record = recorded(tiny_transformers("bert"), RIGHT, pass_mask=False, input_ids=batch(RIGHT))
    with pytest.raises(CaptureError, match=r"looks at the padding of input 0: the model was not told of it\."):
        record.item(0)
    assert record.item(1)[0].key_length == 5  # it has none


def test_the_source_of_an_encoder_decoder_is_cut_and_its_target_is_whole():
    model, target = tiny_transformers("t5"), torch.tensor([[1, 2], [3, 4]])
    own = recorded(model, RIGHT, input_ids=batch(RIGHT), decoder_input_ids=target).item(0)
    alone = recorded(model, input_ids=torch.tensor([SHORT]), decoder_input_ids=target[:1])
    assert [call.shape for call in own] == [call.shape for call in alone]
    for one, other in zip(own, alone, strict=True):
        torch.testing.assert_close(one.weights(), other.weights(), atol=1e-5, rtol=0)
    same = recorded(model, RIGHT, input_ids=batch(RIGHT), decoder_input_ids=batch(RIGHT))
    with pytest.raises(CaptureError, match="does not say whose padding it is"):
        same.item(0)


def test_steps_with_a_cache_leave_it_out_too():
    model = tiny_transformers("llama")
    with torch.inference_mode():
        cache = model(input_ids=batch(LEFT)[:, :3], attention_mask=LEFT[:, :3], use_cache=True).past_key_values
        with record_attention(model, attention_mask=LEFT) as record:
            model(input_ids=batch(LEFT)[:, 3:], attention_mask=LEFT, past_key_values=cache)
    alone = recorded(model, input_ids=torch.tensor([SHORT]))
    for one, other in zip(record.item(0), alone, strict=True):
        torch.testing.assert_close(one.weights(), other.weights(queries=slice(1, 3)), atol=1e-5, rtol=0)


def test_an_input_that_is_not_there_gets_a_sentence():
    model = tiny_transformers("bert")
    for mask in (None, RIGHT):
        with pytest.raises(CaptureError, match="has no item 2: they are numbered 0 to 1"):
            recorded(model, mask, input_ids=batch(RIGHT)).item(2)


def test_masks_that_do_not_fit_get_a_sentence():
    model = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x = torch.randn(2, 4, 8)
    for mask, why in (
        (torch.ones(2, 7), r"has 7 tokens, and what was recorded looks at 4 keys"),
        (torch.ones(3, 4), r"has 3 inputs, and '.*' 2"),
    ):
        with torch.inference_mode(), record_attention(model, attention_mask=mask) as record:
            model(x, x, x)
        with pytest.raises(CaptureError, match=why):
            record.item(0)
    with (
        pytest.raises(CaptureError, match=r"is \(batch, token\), and this one has the shape \(4,\)"),
        record_attention(model, attention_mask=[1, 1, 1, 0]),
    ):
        pass
