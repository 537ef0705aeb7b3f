"""The anatomy of every family: its parts, its sums, and the numbers that pass through each part."""

import functools
import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from core.capture import record_attention
from core.errors import CaptureError
from core.interpretability import OUTPUT, ModelWalk, Stack, arrays_of, kind_of_mask, mask_of, read_norm, stream_of, walk
from core.interpretability.trace import tokens_of
from core.models.transformer import Transformer, TransformerConfig
from tests.core.tiny_models import (
    inputs_of,
    picture,
    tiny_gpt,
    tiny_timm,
    tiny_transformers,
    tokens,
)

IDS = tokens(batch=1)
TEXT = ["gpt2", "bert", "llama", "t5", "bart", "gemma2", "opt"]
PICTURES = ["vit", "swin", "dinov3"]


@functools.cache
def walked(family: str) -> ModelWalk:
    if family == "gpt":
        return walk(tiny_gpt(), lambda network: network(IDS))
    if family in ("post", "pre"):
        torch.manual_seed(0)
        model = Transformer(TransformerConfig(64, 64, 32, 2, 4, 48, norm=family)).eval()
        return walk(model, lambda network: network(IDS, IDS[:, :5]))
    if family in PICTURES:
        pixels = picture(side=32 if family == "swin" else 16)[:1]
        return walk(tiny_timm(family), lambda network: network(pixels))
    inputs = {name: tensor[:1] for name, tensor in inputs_of(family).items()}
    return walk(tiny_transformers(family), lambda network: network(**inputs))


def drawn(of: ModelWalk) -> list[str]:
    """The last lane as words: "line norm", "branch norm attention", a stack as its first block."""
    words = []
    for item in of.lanes[-1].items:
        steps = item.blocks[0].steps if isinstance(item, Stack) else (item,)
        words += [" ".join((step.kind, *(part.kind for part in step.parts))) for step in steps]
    return words


PRE = ["branch norm attention", "branch norm MLP"]


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("gpt", ["line embedding", "branch positions", *PRE, "line norm", "line head"]),
        ("gpt2", ["line embedding", "branch positions", *PRE, "line norm"]),
        ("llama", ["line embedding", "side positions", *PRE, "line norm"]),
        ("vit", ["line embedding", "branch", *PRE, "line norm", "line head"]),
        ("pre", ["line embedding", "branch", PRE[0], "branch norm cross-attention", PRE[1], "line norm", "line head"]),
        (
            "post",
            "line embedding, branch, branch attention, line norm, branch cross-attention, line norm, branch MLP, "
            "line norm, line head",
        ),
        ("t5", ["line embedding", PRE[0], "branch norm cross-attention", PRE[1], "line norm"]),
        (
            "bart",
            "line embedding, branch positions, line norm, branch attention, line norm, branch cross-attention, "
            "line norm, branch linear linear, line norm",
        ),
    ],
)
def test_the_way_through_is_that_of_the_paper(family, expected):
    assert ", ".join(drawn(walked(family))) == (expected if isinstance(expected, str) else ", ".join(expected))


@pytest.mark.parametrize("family", [*TEXT, *PICTURES, "gpt", "post", "pre"])
def test_every_part_can_be_captured_and_the_stream_followed(family):
    of = walked(family)
    # Of parts that differ in the number of their block alone, the last one stands for all.
    every = [part for outer in of.parts.values() for part in (outer, *outer.inner)]
    for part in {re.sub(r"\d+", "#", part.key): part for part in every}.values():
        arrays = arrays_of(of, part.key)
        assert [tuple(tensor.shape) for tensor in arrays.inputs] == list(part.inputs), part.key
        assert [tuple(tensor.shape) for tensor in arrays.outputs] == list(part.outputs), part.key
        assert arrays.input is not None
        assert arrays.output is not None
    stream = stream_of(of)
    assert len(stream.points) == 3
    assert {added.block for added in stream.branches} == {0, 1}


@pytest.mark.parametrize("family", ["gpt", "gpt2", "llama", "t5", "vit", "pre"])
def test_in_a_pre_norm_model_what_is_added_is_the_whole_difference(family):
    of = walked(family)
    for number, block in enumerate(of.stack.blocks):
        added = sum(tokens_of(step.addition.added.tensor) for step in block.steps if step.addition)
        points = stream_of(of).points
        assert torch.allclose(points[number] + added, points[number + 1], atol=1e-4)


def test_an_encoder_decoder_has_two_lanes_and_others_one():
    assert [lane.name for lane in walked("t5").lanes] == ["encoder", "decoder"]
    assert [lane.name for lane in walked("post").lanes] == ["encoder", "decoder"]
    assert [lane.name for lane in walked("llama").lanes] == [""]


def test_a_module_that_runs_twice_is_two_parts_with_different_numbers():
    of = walked("post")
    first, again = (arrays_of(of, key).output for key in ("source_embedding.tokens", "source_embedding.tokens again"))
    assert first.shape[1] == 7
    assert again.shape[1] == 5


@torch.no_grad()
def test_the_captured_numbers_are_those_of_the_module():
    model = tiny_gpt()
    of = walk(model, lambda network: network(IDS))
    arrays = arrays_of(of, "blocks.1.mlp")
    mlp = model.blocks[1].mlp
    assert torch.equal(mlp(arrays.input), arrays.output)
    assert torch.allclose(arrays.hidden, F.gelu(mlp.up(arrays.input), approximate="tanh")[0])
    assert torch.equal(arrays_of(of, OUTPUT).output[0], model(IDS)[0])


@torch.no_grad()
def test_tokens_and_positions_are_the_sum_before_the_first_block():
    model = tiny_gpt()
    summed = next(step.addition for step in walk(model, lambda network: network(IDS)).lanes[0].steps if step.addition)
    assert torch.equal(tokens_of(summed.before.tensor), model.token_embedding(IDS)[0])
    assert torch.equal(tokens_of(summed.added.tensor), model.position_embedding.weight[: IDS.shape[1]])


def test_nothing_is_left_on_the_model_and_its_parameters_are_not_copied():
    model = tiny_gpt()
    of = walk(model, lambda network: network(IDS))
    arrays_of(of, "blocks.0.mlp")
    assert of.network is model
    assert not any(module._forward_hooks for module in model.modules())


def test_parameters_of_all_parts_are_those_of_the_model():
    model = tiny_gpt()
    parts = walk(model, lambda network: network(IDS)).parts.values()
    assert sum(part.parameters for part in parts) == sum(weight.numel() for weight in model.parameters())


def test_an_unknown_part_is_refused_by_name():
    with pytest.raises(CaptureError, match="no part 'nowhere'"):
        arrays_of(walked("gpt"), "nowhere")


def test_a_model_without_attention_is_refused():
    with pytest.raises(CaptureError):
        walk(nn.Sequential(nn.Linear(4, 4)), lambda network: network(torch.ones(1, 3, 4)))


@pytest.mark.parametrize(
    ("family", "key", "kind"),
    [("gpt", "norm", "layer"), ("llama", "norm", "rms"), ("gemma2", "norm", "rms"), ("bert", "", "layer")],
)
@torch.no_grad()
def test_each_norm_follows_its_formula(family, key, kind):
    of = walked(family)
    key = key or next(part.key for part in of.parts.values() if part.kind == "norm")
    arrays = arrays_of(of, key)
    reading = read_norm(of.network.get_submodule(key), tokens_of(arrays.input), tokens_of(arrays.output))
    assert reading.kind == kind
    assert reading.difference < 1e-5
    assert torch.allclose(reading.mean, tokens_of(arrays.input).mean(-1))


@torch.no_grad()
def test_masks_are_known_by_their_form():
    model = Transformer(TransformerConfig(64, 64, 32, 1, 4, 48)).eval()
    padding = torch.zeros(1, 7, dtype=torch.bool)
    padding[:, 5:] = True
    with record_attention(model) as record:
        model(IDS, IDS[:, :4], padding)
    assert [kind_of_mask(mask_of(call)) for call in record.calls] == ["padding", "causal", "padding"]
    assert kind_of_mask(torch.ones(3, 3, dtype=torch.bool)) == "none"
    assert kind_of_mask(torch.eye(3, dtype=torch.bool)) == "window"
    assert not mask_of(record.calls[0])[:, 5:].any()


def test_the_length_of_the_stream_is_that_of_its_vectors():
    of = walked("vit")
    stream = stream_of(of)
    assert stream.lengths.shape == (3, 17)
    first = stream.branches[0]
    assert first.kind == "attention"
    assert torch.allclose(first.before, stream.lengths[0])
