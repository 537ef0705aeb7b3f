"""Heads and neurons are found in networks of transformers, and taken out of them as out of ours."""

import pytest
import torch
import transformers
from torch import nn
from torch.testing import assert_close

from core.errors import ModelError
from core.shrinking.importance import gradient_importance, loss_increase_without
from core.shrinking.layouts import headed_modules, hidden_layers, matrices_of, with_linears
from core.shrinking.pruned_heads import prune_heads
from core.shrinking.zeros import with_silent_neurons, without_neurons

SMALL = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 60}
KINDS = {
    "bert": (transformers.BertForMaskedLM, SMALL | {"max_position_embeddings": 32}),
    "roberta": (transformers.RobertaForMaskedLM, SMALL | {"max_position_embeddings": 34}),
    "electra": (transformers.ElectraForMaskedLM, SMALL | {"embedding_size": 24, "max_position_embeddings": 32}),
    "gpt2": (
        transformers.GPT2LMHeadModel,
        {"n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 32, "vocab_size": 60},
    ),
    "llama": (transformers.LlamaForCausalLM, SMALL | {"num_key_value_heads": 4, "max_position_embeddings": 32}),
    "distilbert": (
        transformers.DistilBertForMaskedLM,
        {"dim": 24, "n_layers": 2, "n_heads": 4, "hidden_dim": 40, "vocab_size": 60, "max_position_embeddings": 32},
    ),
    "vit": (transformers.ViTForImageClassification, SMALL | {"image_size": 16, "patch_size": 8}),
}


def network(kind: str) -> nn.Module:
    torch.manual_seed(0)
    model, sizes = KINDS[kind]
    settings = {name: value for name, value in sizes.items() if kind != "vit" or name != "vocab_size"}
    return with_linears(model(model.config_class(**settings)).eval().requires_grad_(False))


def logits(kind: str, model: nn.Module) -> torch.Tensor:
    dice = torch.Generator().manual_seed(1)
    if kind == "vit":
        return model(torch.randn(2, 3, 16, 16, generator=dice)).logits
    return model(torch.randint(5, 60, (2, 7), generator=dice)).logits


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gone", [{0: [1]}, {0: [0, 3], 1: [2]}, {1: [0, 1, 2, 3]}])
@torch.no_grad()
def test_without_heads_it_says_what_it_says_when_what_they_add_is_zero(kind, gone):
    full_network = network(kind)
    modules = headed_modules(full_network)
    assert [headed.heads for headed in modules] == [4, 4]
    smaller = prune_heads(full_network, gone)
    silenced = network(kind)
    for number, heads in gone.items():
        headed = headed_modules(silenced)[number]
        for head in heads:
            headed.output_projection.weight[:, head * headed.head_dim : (head + 1) * headed.head_dim] = 0
    assert_close(logits(kind, smaller), logits(kind, silenced), rtol=1e-4, atol=1e-5)
    assert not torch.allclose(logits(kind, smaller), logits(kind, full_network))
    assert sum(map(torch.numel, smaller.parameters())) < sum(map(torch.numel, full_network.parameters()))


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_without_neurons_it_says_what_it_says_when_they_are_silent(kind):
    full_network = network(kind)
    assert len(hidden_layers(full_network)) == 2
    smaller, silent = without_neurons(full_network, 0.5), with_silent_neurons(full_network, 0.5)
    assert_close(logits(kind, smaller), logits(kind, silent), rtol=1e-4, atol=1e-5)
    assert [layer.neurons * 2 for layer in hidden_layers(smaller)] == [
        layer.neurons for layer in hidden_layers(full_network)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_heads_are_ranked_in_networks_of_transformers(kind):
    full_network = network(kind)

    def losses(model: nn.Module) -> torch.Tensor:
        return -logits(kind, model).log_softmax(dim=-1).flatten(start_dim=1)[:, 1]

    by_gradient, by_loss = gradient_importance(full_network, losses), loss_increase_without(full_network, losses)
    assert all(float(scores.norm()) == pytest.approx(1.0, abs=1e-4) for scores in by_gradient)
    with torch.no_grad():
        expected = float(losses(prune_heads(full_network, {1: [2]})).mean() - losses(full_network).mean())
    assert float(by_loss[1][2]) == pytest.approx(expected, abs=1e-5)


@torch.no_grad()
def test_gpt2s_own_layers_become_linear_maps_that_say_the_same():
    model, sizes = KINDS["gpt2"]
    torch.manual_seed(0)
    plain = model(model.config_class(**sizes)).eval()
    changed = with_linears(plain)
    assert_close(logits("gpt2", changed), logits("gpt2", plain))
    assert len(matrices_of(plain)) == 1
    assert len(matrices_of(changed)) == 9  # four a layer, and the head
    assert with_linears(changed) is changed


def test_heads_that_share_keys_are_refused_in_a_sentence():
    model, sizes = KINDS["llama"]
    shared = model(model.config_class(**sizes | {"num_key_value_heads": 2}))
    with pytest.raises(ModelError, match="LlamaForCausalLM keeps its heads in a way that is not known here"):
        headed_modules(shared)
    with pytest.raises(ModelError, match="Sequential keeps the neurons"):
        hidden_layers(nn.Sequential(nn.Linear(3, 3)))
