"""Several steps one after the other: each alone is the step by itself, together they are all of them."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from core.models.gpt import GPT, GPTConfig
from core.shrinking.importance import by_module, gradient_importance, ranked
from core.shrinking.layouts import headed_modules, hidden_layers
from core.shrinking.number_formats import FORMATS, Int8Linear, in_number_format
from core.shrinking.pruned_heads import prune_heads
from core.shrinking.recipes import SHARES, Recipe, follow, recipes
from core.shrinking.zeros import without_neurons
from core.zoo.embedded import load_embedded_text

IDS = torch.arange(5, 23).reshape(2, 9)


def gpt() -> nn.Module:
    torch.manual_seed(0)
    return GPT(GPTConfig(vocabulary=50, context=16, width=64, layers=2, heads=4)).eval().requires_grad_(False)


def losses(model: nn.Module) -> torch.Tensor:
    return -model(IDS).log_softmax(dim=-1)[:, -1, 3]


@torch.no_grad()
def test_each_step_alone_is_that_step():
    full_network = gpt()
    order = ranked(gradient_importance(full_network, losses))
    expected = {
        Recipe(): full_network,
        Recipe(heads=0.25): prune_heads(full_network, by_module(order[:2])),
        Recipe(neurons=0.5): without_neurons(full_network, 0.5),
        Recipe(number_format="int8"): in_number_format(full_network, "int8"),
    }
    for recipe, other in expected.items():
        assert_close(follow(recipe, full_network, losses)(IDS), other(IDS))


@torch.no_grad()
def test_all_steps_together_are_all_done():
    full_network = gpt()
    smaller = follow(Recipe(heads=0.5, neurons=0.25, number_format="int8"), full_network, losses)
    assert sum(module.levels.shape[1] // 16 for module in smaller.modules() if isinstance(module, Int8Linear)) > 0
    plain = follow(Recipe(heads=0.5, neurons=0.25), full_network, losses)
    assert sum(headed.heads for headed in headed_modules(plain)) == 4
    assert {layer.neurons for layer in hidden_layers(plain)} == {192}
    assert_close(smaller(IDS), in_number_format(plain, "int8")(IDS))


def test_a_student_takes_the_teachers_place_and_its_heads_are_ranked():
    teacher = load_embedded_text("bert-books").network
    tokens = torch.arange(5, 25)[None]

    def surprise(model: nn.Module) -> torch.Tensor:
        return -model(tokens).log_softmax(dim=-1)[:, 4, 9]

    student = follow(Recipe(student="bert-third", heads=0.5), teacher, surprise)
    assert sum(headed.heads for headed in headed_modules(student)) == 6


def test_all_recipes_are_named_apart_and_the_first_takes_nothing():
    for model, students in (("gpt-books", 1), ("vit-tiny-imagenet", 3)):
        all_recipes = recipes(model)
        assert all_recipes[0] == Recipe()
        assert all_recipes[0].title == "whole"
        assert (
            len({recipe.title for recipe in all_recipes})
            == len(all_recipes)
            == students * len(SHARES) ** 2 * len(FORMATS)
        )
    assert Recipe("bert-half", 0.25, 0.5, "int4").title == (
        "bert-half, 25% of the heads gone, 50% of the neurons gone, int4"
    )
    with pytest.raises(KeyError):
        follow(Recipe(student="bert-tenth"), load_embedded_text("bert-books").network, losses)
