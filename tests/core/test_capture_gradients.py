"""The gradient that reaches the weights of a head."""

import pytest
import torch

from core.capture import Paste, edit_attention, record_attention
from core.errors import CaptureError
from tests.core.tiny_models import (
    HEADS,
    inputs_of,
    picture,
    tiny_gpt,
    tiny_timm,
    tiny_transformers,
    tokens,
)


def eager_gradients(family, inputs):
    """By the library's own eager weights, which are part of its graph."""
    model = tiny_transformers(family, attention="eager")
    outputs = model(**inputs, output_attentions=True)
    for weights in outputs.attentions:
        weights.retain_grad()
    outputs.last_hidden_state[0, -1].square().sum().backward()
    return [weights.grad for weights in outputs.attentions]


@pytest.mark.parametrize("frozen", [False, True], ids=["trainable", "frozen"])
@pytest.mark.parametrize("family", ["bert", "gpt2", "llama", "gemma2", "deberta-v2"])
def test_gradients_equal_those_through_the_eager_library_model(family, frozen):
    inputs = inputs_of(family, padded=family == "bert")
    model = tiny_transformers(family).requires_grad_(not frozen)
    with record_attention(model, differentiable=True) as record:
        scalar = model(**inputs).last_hidden_state[0, -1].square().sum()
    gradients = record.gradients(scalar)
    assert list(gradients) == [call.path for call in record.calls]
    for gradient, expected in zip(gradients.values(), eager_gradients(family, inputs), strict=True):
        torch.testing.assert_close(gradient, expected, atol=1e-5, rtol=1e-4)


def test_gradients_equal_finite_differences():
    model, place = tiny_gpt().double(), ("blocks.0.attention", 2)
    with record_attention(model, differentiable=[place]) as record:
        scalar = model(tokens())[1, -1, 5]
    gradient = record.gradients(scalar)[place[0]][1, 0]

    def scalar_with(query, key, step):
        pattern = record[place[0]].written.weights.detach()[:, 0].clone()
        pattern[1, query, key] += step
        with torch.no_grad(), edit_attention(model, {place: Paste(pattern)}):
            return model(tokens())[1, -1, 5]

    for query, key in [(0, 0), (4, 1), (6, 6), (6, 2)]:
        difference = (scalar_with(query, key, 1e-5) - scalar_with(query, key, -1e-5)) / 2e-5
        torch.testing.assert_close(gradient[query, key], difference, atol=1e-7, rtol=1e-5)


def test_only_the_chosen_heads_are_followed_and_the_answer_stays():
    model, pixels = tiny_timm("vit"), picture()
    chosen = [("blocks.0.attn", 3), ("blocks.0.attn", 1), ("blocks.1.attn", 0)]
    with record_attention(model, differentiable=chosen) as record:
        logits = model(pixels)
    with record_attention(model, differentiable=True) as complete:
        same_logits = model(pixels)
    torch.testing.assert_close(logits, model(pixels), atol=1e-5, rtol=1e-5)
    some, every = record.gradients(logits[0, 2]), complete.gradients(same_logits[0, 2])
    assert {path: gradient.shape for path, gradient in some.items()} == {
        "blocks.0.attn": (2, 2, 17, 17),
        "blocks.1.attn": (2, 1, 17, 17),
    }
    torch.testing.assert_close(some["blocks.0.attn"], every["blocks.0.attn"][:, [1, 3]], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(some["blocks.1.attn"], every["blocks.1.attn"][:, :1], atol=1e-5, rtol=1e-4)


def test_several_scalars_of_one_run_may_be_followed():
    model = tiny_gpt()
    with record_attention(model, differentiable=True) as record:
        logits = model(tokens())
    one, two = record.gradients(logits[0, -1, 0]), record.gradients(logits[0, -1, 1])
    both = record.gradients(logits[0, -1, :2].sum())
    for path, gradient in both.items():
        torch.testing.assert_close(gradient, one[path] + two[path], atol=1e-6, rtol=1e-4)
    assert one["blocks.0.attention"].shape == (2, HEADS, 7, 7)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_left_padded_text_does_not_poison_the_gradient():
    model, mask = tiny_transformers("bert"), torch.ones(2, 1, 7, 7, dtype=torch.bool)
    mask[1, :, :2] = False  # the first two queries may look at nothing
    with record_attention(model, differentiable=True) as record:
        scalar = model(tokens(), attention_mask=mask).last_hidden_state[:, -1].sum()
    assert record.calls[1].weights(0, 1)[0].isnan().all()
    assert all(gradient.isfinite().all() for gradient in record.gradients(scalar).values())


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_gradients_need_gradients(mode):
    model = tiny_gpt()
    with (
        pytest.raises(CaptureError, match=r"outside torch\.no_grad"),
        mode(),
        record_attention(model, differentiable=True),
    ):
        model(tokens())


def test_a_record_without_a_graph_has_no_gradients():
    model = tiny_gpt()
    with record_attention(model) as record:
        logits = model(tokens())
    with pytest.raises(CaptureError, match="differentiable=True"):
        record.gradients(logits.sum())
    with record_attention(model, differentiable=True) as record:
        model(tokens())
    with pytest.raises(CaptureError, match="does not depend"):
        record.gradients(torch.tensor(1.0))


def test_a_chosen_head_that_does_not_exist_is_an_error():
    model = tiny_gpt()
    for chosen, message in [
        (("blocks.7.attention", 0), "no module 'blocks.7.attention'"),
        (("blocks.0.mlp", 0), "No attention was seen at 'blocks.0.mlp'"),
        (("blocks.0.attention", 9), "has no head 9"),
    ]:
        with pytest.raises(CaptureError, match=message), record_attention(model, differentiable=[chosen]):
            model(tokens())
