"""Several records at once, one in another, and none left behind."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn
from torch.overrides import _get_current_function_mode_stack

from core.capture import edit_attention, record_attention
from tests.core.tiny_models import inputs_of, picture, tiny_encoder, tiny_gpt, tiny_timm, tiny_transformers, tokens


def hooks(model):
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    everywhere = [getattr(nn.modules.module, f"_global{name}") for name in names]
    return sum(map(len, everywhere)) + sum(len(getattr(m, name)) for m in model.modules() for name in names)


def attributes(model):
    return {path: sorted(vars(module)) for path, module in model.named_modules()}


@pytest.mark.parametrize(
    ("build", "shape"),
    [(lambda: tiny_timm("vit"), (3, 16, 16)), (lambda: tiny_timm("swinv2"), (3, 32, 32)), (tiny_encoder, (5, 32))],
    ids=["vit", "swinv2", "torch.nn"],
)
def test_eight_threads_record_one_model_without_mixing(build, shape):
    model = build()
    inputs = [torch.randn(2, *shape, generator=torch.Generator().manual_seed(n)) for n in range(8)]

    def record_one(x):
        with torch.inference_mode(), record_attention(model) as record:
            output = model(x)
        return output, record.calls

    alone = [record_one(x) for x in inputs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(record_one, inputs))
    for (output, calls), (other_output, other_calls) in zip(alone, together, strict=True):
        assert torch.equal(output, other_output)
        assert [call.path for call in calls] == [call.path for call in other_calls]
        for call, other in zip(calls, other_calls, strict=True):
            assert torch.equal(call.weights(1, 1), other.weights(1, 1))
            assert call.query is None or torch.equal(call.query, other.query)


def test_one_thread_edits_while_another_records():
    model, x = tiny_gpt(), tokens()
    with torch.inference_mode():
        plain = model(x)

    def edited(_):
        with torch.inference_mode(), edit_attention(model, {("blocks.0.attention", 0): "silence"}):
            return model(x)

    def recorded(_):
        with torch.inference_mode(), record_attention(model):
            return model(x)

    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(job, n) for n in range(10) for job in (edited, recorded)]
    assert all(torch.equal(job.result(), plain) for job in jobs[1::2])
    assert not any(torch.equal(job.result(), plain) for job in jobs[::2])


def test_a_record_within_a_record_and_both_see_everything():
    model = tiny_gpt()
    with torch.inference_mode(), record_attention(model) as outer:
        model(tokens())
        with record_attention(model) as inner:
            model(tokens())
        model(tokens())
    assert (len(inner.calls), len(outer.calls)) == (2, 6)
    assert torch.equal(inner.calls[0].weights(0), outer.calls[2].weights(0))


def test_a_part_of_a_model_can_be_recorded_alone():
    model = tiny_transformers("bart")
    with torch.inference_mode(), record_attention(model.encoder) as record:
        model(**inputs_of("bart"))
    assert [call.path for call in record.calls] == ["layers.0.self_attn", "layers.1.self_attn"]


def test_another_model_in_the_block_is_not_recorded():
    model, other = tiny_gpt(), tiny_gpt()
    with torch.inference_mode(), record_attention(model) as record:
        other(tokens())
        model(tokens())
    assert len(record.calls) == 2


@pytest.mark.parametrize(
    "build",
    [tiny_gpt, lambda: tiny_transformers("deberta-v2"), tiny_encoder],
    ids=["gpt", "deberta-v2", "torch.nn"],
)
def test_nothing_is_left_behind_also_after_an_exception(build):
    model = build()
    x = torch.randn(2, 5, 32) if isinstance(model, nn.TransformerEncoder) else tokens()
    before = hooks(model), attributes(model), _get_current_function_mode_stack()

    def fail_while_watching():
        with record_attention(model):
            model(x)
            assert hooks(model) == before[0]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_while_watching()
    assert (hooks(model), attributes(model), _get_current_function_mode_stack()) == before
    with record_attention(model) as record:
        model(x)
    assert len(record.calls) == 2


def test_an_exception_inside_the_model_leaves_the_next_record_intact():
    model = tiny_encoder()
    with pytest.raises(AssertionError), record_attention(model):
        model(torch.randn(2, 5, 31))
    with record_attention(model) as record:
        model(torch.randn(2, 5, 32))
    assert len(record.calls) == 2


@pytest.mark.parametrize("family", ["vit", "swin", "dinov3"])
def test_a_watched_model_answers_bit_by_bit_the_same(family):
    model, pixels = tiny_timm(family), picture(side=32 if family == "swin" else 16)
    with torch.inference_mode():
        plain = model(pixels)
        with record_attention(model):
            assert torch.equal(model(pixels), plain)
