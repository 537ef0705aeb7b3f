"""Heads taken out: the same outputs as silenced, smaller matrices, and importance equal to its definition."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from core.capture import edit_attention
from core.errors import ModelError
from core.models.bert import BERTConfig, PretrainingBERT
from core.models.gpt import GPT, GPTConfig
from core.models.image_classifiers import make_image_classifier
from core.models.transformer import Transformer, TransformerConfig
from core.shrinking.importance import (
    by_module,
    gradient_importance,
    greedy_order,
    loss_increase_without,
    random_order,
    ranked,
)
from core.shrinking.layouts import headed_modules
from core.shrinking.pruned_heads import prune_heads

VIT = {"img_size": 32, "patch_size": 8, "embed_dim": 24, "depth": 2, "num_heads": 4, "num_classes": 5}


def network(kind: str) -> nn.Module:
    torch.manual_seed(0)
    if kind == "gpt":
        return GPT(GPTConfig(vocabulary=50, context=16, width=24, layers=2, heads=4)).eval()
    if kind == "bert":
        return PretrainingBERT(BERTConfig(50, 16, 24, 2, 4, 48)).eval()
    if kind == "vit":
        return make_image_classifier("vit", VIT).eval()
    return Transformer(TransformerConfig(50, 50, width=24, layers=2, heads=4, hidden=48)).eval()


def inputs(kind: str) -> tuple:
    rng = torch.Generator().manual_seed(1)
    if kind == "vit":
        return (torch.randn(2, 3, 32, 32, generator=rng),)
    tokens = torch.randint(4, 50, (2, 9), generator=rng)
    return (tokens, tokens[:, :6]) if kind == "translator" else (tokens,)


KINDS = ["gpt", "bert", "vit", "translator"]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=8)
def test_a_network_without_heads_says_what_it_says_with_them_silenced(kind, data):
    full_network = network(kind)
    modules = headed_modules(full_network)
    every = [(number, head) for number, headed in enumerate(modules) for head in range(headed.heads)]
    gone = data.draw(st.lists(st.sampled_from(every), unique=True))
    edits = {(modules[number].path, head): "silence" for number, head in gone}
    with torch.no_grad():
        if edits:
            with edit_attention(full_network, edits):
                silenced = full_network(*inputs(kind))
        else:
            silenced = full_network(*inputs(kind))
        smaller = prune_heads(full_network, by_module(gone))
        assert_close(smaller(*inputs(kind)), silenced, rtol=1e-4, atol=1e-5)
    count = [sum(weight.numel() for weight in model.parameters()) for model in (full_network, smaller)]
    assert (count[1] < count[0]) == bool(gone)


@pytest.mark.parametrize("kind", KINDS)
def test_without_any_head_the_bias_of_the_joining_map_is_left(kind):
    full_network = network(kind)
    modules = headed_modules(full_network)
    bare = prune_heads(full_network, {number: range(headed.heads) for number, headed in enumerate(modules)})
    with (
        torch.no_grad(),
        edit_attention(
            full_network, {(module.path, head): "silence" for module in modules for head in range(module.heads)}
        ),
    ):
        silenced = full_network(*inputs(kind))
    with torch.no_grad():
        assert_close(bare(*inputs(kind)), silenced, rtol=1e-4, atol=1e-5)


def test_the_network_itself_stays_as_it_was():
    full_network = network("gpt")
    before = full_network(*inputs("gpt"))
    prune_heads(full_network, {0: [0, 1]})
    assert_close(full_network(*inputs("gpt")), before, rtol=0, atol=0)


def test_a_head_that_there_is_not_is_refused():
    with pytest.raises(ModelError, match="no heads \\[4\\] in attention module 0"):
        prune_heads(network("gpt"), {0: [4]})
    with pytest.raises(ModelError, match="not known here"):
        headed_modules(nn.Linear(2, 2))


def losses(model: nn.Module) -> torch.Tensor:
    (tokens,) = inputs("gpt")
    logits = model(tokens)
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none").mean(dim=1)


def test_importance_is_the_slope_of_a_gate():
    full_network = network("gpt")
    importances = gradient_importance(full_network, losses, normalised=False)
    step = 1e-2
    for number, headed in enumerate(headed_modules(full_network)):
        for head in range(headed.heads):
            moved = []
            for gate in (1 + step, 1 - step):
                changed = prune_heads(full_network, {})
                part = slice(head * headed.head_dim, (head + 1) * headed.head_dim)
                with torch.no_grad():
                    headed_modules(changed)[number].output_projection.weight[:, part] *= gate
                    moved.append(losses(changed))
            slope = ((moved[0] - moved[1]) / (2 * step)).abs().mean()
            assert_close(importances[number][head], slope, rtol=0.02, atol=1e-4)


def test_normalised_importances_have_length_one_and_are_ranked():
    importances = gradient_importance(network("gpt"), losses)
    for scores in importances:
        assert float(scores.norm()) == pytest.approx(1.0)
    order = ranked(importances)
    values = [float(importances[number][head]) for number, head in order]
    assert values == sorted(values)
    assert sorted(order) == sorted(random_order(network("gpt"), seed=3))
    assert random_order(network("gpt"), seed=3) != random_order(network("gpt"), seed=4)


def first_logit(kind: str):
    def losses(model: nn.Module) -> torch.Tensor:
        return -model(*inputs(kind)).log_softmax(dim=-1).flatten(start_dim=1)[:, 2]

    return losses


@pytest.mark.parametrize("kind", KINDS)
def test_the_rise_without_a_head_is_the_loss_of_the_network_without_it(kind):
    full_network, losses = network(kind), first_logit(kind)
    rises = loss_increase_without(full_network, losses, ablated=[(0, 1)])
    with torch.no_grad():
        start = float(losses(prune_heads(full_network, {0: [1]})).mean())
        other = float(losses(prune_heads(full_network, {0: [1], 1: [2]})).mean())
    assert float(rises[1][2]) == pytest.approx(other - start, abs=1e-5)
    assert float(rises[0][1]) == 0.0


@pytest.mark.parametrize("kind", ["gpt", "vit"])
def test_greedily_the_head_that_costs_least_goes_next(kind):
    full_network, losses = network(kind), first_logit(kind)
    reports: list[tuple[int, int]] = []
    order = greedy_order(full_network, losses, lambda done, total: reports.append((done, total)))
    every = [(number, head) for number in range(2) for head in range(4)]
    assert sorted(order) == every
    assert reports == [(done, 36) for done in range(36)]
    for place in range(3):
        with torch.no_grad():
            costs = {
                head: float(losses(prune_heads(full_network, by_module([*order[:place], head]))).mean())
                for head in every
                if head not in order[:place]
            }
        assert costs[order[place]] == pytest.approx(min(costs.values()), abs=1e-5)
