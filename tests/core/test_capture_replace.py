"""Attention whose whole product is replaced while a model runs."""

import threading
import weakref

import pytest
import torch
import torch.nn.functional as F

from core.capture import Replace, edit_attention, record_attention
from core.efficient import BigBird, Fused, SlidingWindow
from core.errors import CaptureError
from tests.core.tiny_models import inputs_of, picture, tiny_encoder, tiny_gpt, tiny_timm, tiny_transformers, tokens

FIRST, SECOND = "blocks.0.attention", "blocks.1.attention"
WINDOW = SlidingWindow(window=2)


def by(variant):
    return Replace(variant.output, causal=variant.causal, weights=variant.weights)


class Windowed(torch.nn.Module):
    """The attention of our GPT with a window in its own code: what the edit must amount to."""

    def __init__(self, own, window):
        super().__init__()
        self.own, self.window = own, window

    def forward(self, x, _cache=None):
        query, key, value = (self.own._split(part) for part in self.own.qkv(x).chunk(3, dim=-1))
        place = torch.arange(x.shape[1])
        near = (place[:, None] - place >= 0) & (place[:, None] - place < self.window)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=near)
        return self.own.out(mixed.transpose(1, 2).flatten(start_dim=2))


@pytest.mark.parametrize("layers", [(0,), (0, 1)])
def test_it_equals_a_model_whose_attention_is_really_replaced(layers):
    edited, rebuilt = tiny_gpt(), tiny_gpt()
    rebuilt.load_state_dict(edited.state_dict())
    for layer in layers:
        rebuilt.blocks[layer].attention = Windowed(rebuilt.blocks[layer].attention, window=2)
    with torch.inference_mode():
        plain = edited(tokens())
        with edit_attention(edited, {f"blocks.{layer}.attention": by(WINDOW) for layer in layers}):
            outputs = edited(tokens())
        torch.testing.assert_close(outputs, rebuilt(tokens()))
        assert (outputs - plain).abs().max() > 1e-4
        assert torch.equal(edited(tokens()), plain)


@pytest.mark.parametrize(
    ("make", "inputs", "causal"),
    [
        (tiny_gpt, lambda: {"tokens": tokens()}, True),
        (lambda: tiny_transformers("gpt2"), lambda: inputs_of("gpt2"), True),
        (lambda: tiny_transformers("llama"), lambda: inputs_of("llama"), True),
        (lambda: tiny_transformers("bert"), lambda: inputs_of("bert"), False),
        (lambda: tiny_timm("vit"), lambda: {"x": picture()}, False),
        (tiny_encoder, lambda: {"src": torch.randn(2, 5, 32)}, False),
    ],
)
def test_exact_attention_in_its_place_changes_nothing(make, inputs, causal):
    model, inputs = make(), inputs()
    with torch.inference_mode():
        with record_attention(model) as record:
            plain = model(**inputs)
        paths = {call.path for call in record.calls}
        with edit_attention(model, {path: by(Fused(causal=causal)) for path in paths}):
            outputs = model(**inputs)
    for one, other in zip(values_of(outputs), values_of(plain), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


def values_of(result):
    return [result] if isinstance(result, torch.Tensor) else [v for v in result.values() if torch.is_tensor(v)]


def test_one_head_is_replaced_and_the_others_keep_their_kernel():
    model, head_counts = tiny_gpt(), []

    def product(query, key, value):
        head_counts.append(query.shape[1])
        return WINDOW.output(query, key, value)

    with torch.inference_mode():
        with record_attention(model) as plain:
            model(tokens())
        replaced = Replace(product, causal=True, weights=WINDOW.weights)
        with edit_attention(model, {(FIRST, 2): replaced}), record_attention(model) as record:
            model(tokens())
    assert head_counts == [1]
    call, before = record[FIRST], plain[FIRST]
    for head in range(call.heads):
        expected = WINDOW.weights(before.query[0, 2], before.key[0, 2]) if head == 2 else before.weights(head)
        torch.testing.assert_close(call.weights(head), expected)


def test_the_scale_of_the_call_reaches_the_product():
    class Sharp(torch.nn.Module):
        def forward(self, x):
            return F.scaled_dot_product_attention(x, x, x, scale=3.0)

    model, x = Sharp(), torch.randn(1, 2, 9, 4)
    with edit_attention(model, {"": by(Fused(causal=False))}):
        torch.testing.assert_close(model(x), F.scaled_dot_product_attention(x, x, x, scale=3.0))


def test_edits_of_other_heads_go_beside_it():
    model = tiny_gpt()
    edits = {(FIRST, 0): by(WINDOW), (FIRST, 1): "silence"}
    with torch.inference_mode(), edit_attention(model, edits), record_attention(model) as record:
        model(tokens())
    assert not record[FIRST].weights(1).any()
    assert not record[FIRST].weights(0).tril(-2).any()
    assert record[FIRST].weights(2).tril(-2).any()


def test_eight_threads_replace_in_one_model_without_mixing():
    model, variants = tiny_gpt(), [SlidingWindow(window=1 + number) for number in range(8)]

    def run(variant):
        with torch.inference_mode(), edit_attention(model, {FIRST: by(variant), SECOND: by(variant)}):
            return model(tokens())

    alone, together, ready = [run(variant) for variant in variants], [None] * 8, threading.Barrier(8)

    def work(place):
        ready.wait()
        together[place] = run(variants[place])

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, together, strict=True):
        assert torch.equal(one, other)


def test_nothing_is_left_behind_when_the_product_fails():
    model = tiny_gpt()

    def fails(*_):
        raise RuntimeError("no")

    with torch.inference_mode():
        plain = model(tokens())
        with pytest.raises(RuntimeError, match="no"), edit_attention(model, {FIRST: Replace(fails, causal=True)}):
            model(tokens())
        assert torch.equal(model(tokens()), plain)


@pytest.mark.parametrize(
    ("edits", "sentence"),
    [
        ({"blocks.7.attention": by(WINDOW)}, "no module 'blocks.7.attention'"),
        ({(FIRST, 9): by(WINDOW)}, "no head 9"),
        ({FIRST: by(WINDOW), (FIRST, 1): by(WINDOW)}, "replaced twice"),
        ({FIRST: by(WINDOW), (FIRST, 1): "silence"}, "Head 1 of 'blocks.0.attention' is replaced"),
        ({FIRST: by(Fused(causal=False))}, "looks back only"),
        ({"norm": by(WINDOW)}, "No attention was seen at 'norm'"),
    ],
)
def test_what_cannot_be_replaced_is_an_error_that_says_why(edits, sentence):
    model = tiny_gpt()
    with pytest.raises(CaptureError, match=sentence), torch.inference_mode(), edit_attention(model, edits):
        model(tokens())


def test_a_mask_with_more_than_causality_is_an_error():
    model, inputs = tiny_transformers("bert"), inputs_of("bert", padded=True)
    with torch.inference_mode(), record_attention(model) as record:
        model(**inputs)
    edits = {record.calls[0].path: by(BigBird(causal=False))}
    with pytest.raises(CaptureError, match="padding or a bias"), torch.inference_mode(), edit_attention(model, edits):
        model(**inputs)


def test_an_attention_that_is_seen_through_its_softmax_is_an_error():
    model, inputs = tiny_transformers("t5"), inputs_of("t5")
    with torch.inference_mode(), record_attention(model) as record:
        model(**inputs)
    edits = {record.calls[0].path: by(Fused(causal=False))}
    with pytest.raises(CaptureError), torch.inference_mode(), edit_attention(model, edits):
        model(**inputs)


def test_a_record_of_a_product_without_weights_is_an_error():
    model = tiny_gpt()
    edits = {FIRST: Replace(WINDOW.output, causal=True)}
    refused = pytest.raises(CaptureError, match="without weights")
    with refused, torch.inference_mode(), edit_attention(model, edits), record_attention(model):
        model(tokens())


@pytest.mark.parametrize("watching", ["edit", "record"])
def test_the_input_of_a_layer_is_let_go_when_the_next_layer_has_attended(watching):
    model, inputs, alive = tiny_gpt(), [], []
    first, second = (block.attention for block in model.blocks[:2])
    first.register_forward_pre_hook(lambda _, args: inputs.append(weakref.ref(args[0])))
    second.register_forward_hook(lambda *_: alive.append(inputs[0]() is not None))
    edits = {FIRST: by(WINDOW), SECOND: by(WINDOW)}
    watched = edit_attention(model, edits) if watching == "edit" else record_attention(model)
    with torch.inference_mode(), watched:
        model(tokens())
    assert alive == [False]
