"""Zeros in the place of small weights, the same as compressed rows, and neurons that are really gone."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from core.models.bert import BERTConfig, PretrainingBERT
from core.models.gpt import GPT, GPTConfig
from core.models.image_classifiers import make_image_classifier
from core.models.transformer import Transformer, TransformerConfig
from core.shrinking.layouts import hidden_layers, matrices_of
from core.shrinking.zeros import (
    SparseLinear,
    as_sparse,
    bytes_packed,
    share_of_zeros,
    strongest,
    with_silent_neurons,
    with_zeros,
    without_neurons,
)

VIT = {"img_size": 32, "patch_size": 8, "embed_dim": 24, "depth": 2, "num_heads": 4, "num_classes": 5}
TOKENS = torch.arange(5, 23).reshape(2, 9)


def network(kind: str) -> nn.Module:
    torch.manual_seed(0)
    made = {
        "gpt": lambda: GPT(GPTConfig(vocabulary=50, context=16, width=24, layers=2, heads=4)),
        "bert": lambda: PretrainingBERT(BERTConfig(50, 16, 24, 2, 4, 48)),
        "vit": lambda: make_image_classifier("vit", VIT),
        "translator": lambda: Transformer(TransformerConfig(50, 50, width=24, layers=2, heads=4, hidden=48)),
    }[kind]()
    return made.eval().requires_grad_(False)


def logits(kind: str, model: nn.Module) -> torch.Tensor:
    if kind == "vit":
        return model(torch.linspace(-1, 1, 2 * 3 * 32 * 32).reshape(2, 3, 32, 32))
    return model(TOKENS, TOKENS[:, :6]) if kind == "translator" else model(TOKENS)


KINDS = ["gpt", "bert", "vit", "translator"]


@pytest.mark.parametrize("kind", KINDS)
@given(share=st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9]))
@settings(max_examples=5)
def test_the_smallest_weights_of_all_matrices_together_become_zero(kind, share):
    full_network = network(kind)
    changed = with_zeros(full_network, share)
    before = torch.cat([module.weight.flatten() for module in matrices_of(full_network).values()])
    after = torch.cat([module.weight.flatten() for module in matrices_of(changed).values()])
    assert share_of_zeros(changed) == pytest.approx(share, abs=1e-3)
    gone = after == 0
    if share:
        assert before[gone].abs().max() <= before[~gone].abs().min()
    assert torch.equal(after[~gone], before[~gone])
    if not share:
        assert torch.equal(logits(kind, changed), logits(kind, full_network))


@pytest.mark.parametrize("kind", KINDS)
@given(share=st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
@settings(max_examples=5)
def test_a_network_without_neurons_says_what_it_says_with_them_silent(kind, share):
    full_network = network(kind)
    smaller, silent = without_neurons(full_network, share), with_silent_neurons(full_network, share)
    assert_close(logits(kind, smaller), logits(kind, silent), rtol=1e-4, atol=1e-5)
    for left, layer in zip(hidden_layers(smaller), hidden_layers(full_network), strict=True):
        assert left.neurons == max(1, layer.neurons - round(share * layer.neurons))


def test_neurons_with_the_shortest_rows_go_first_and_one_stays():
    rows = torch.tensor([[3.0, 4.0], [0.1, 0.0], [1.0, 1.0], [0.0, 2.0]])
    assert strongest(rows, 0.5).tolist() == [True, False, False, True]
    assert strongest(rows, 1.0).tolist() == [True, False, False, False]
    assert strongest(rows, 0.0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_compressed_rows_give_the_same_product(kind):
    changed = with_zeros(network(kind), 0.8)
    assert_close(logits(kind, as_sparse(changed)), logits(kind, changed), rtol=1e-4, atol=1e-5)


def test_a_matrix_of_zeros_gives_the_bias():
    linear = nn.Linear(6, 4).requires_grad_(False)
    linear.weight.zero_()
    assert_close(SparseLinear(linear)(torch.randn(2, 3, 6)), linear.bias.expand(2, 3, 4))


def test_bytes_on_disk_are_a_bit_for_each_weight_and_four_for_each_that_is_left():
    linear = nn.Linear(10, 4)
    assert bytes_packed(nn.Sequential(linear)) == 4 * 4 + 40 * 4 + 5
    changed = with_zeros(nn.Sequential(linear), 0.5)
    assert bytes_packed(changed) == 4 * 4 + 20 * 4 + 5
