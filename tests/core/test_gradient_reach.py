"""Reach is the gradient of the expected character's log-probability, and fades as theory says."""

import math

import pytest
import torch
from torch import nn

from core.models.character import CharacterModel
from core.reach.gradient_reach import by_distance, farthest_distance, half_life, reach, shares

SIZES = {
    "rnn": {"width": 12, "layers": 2},
    "lstm": {"width": 12, "layers": 2},
    "gru": {"width": 12, "layers": 2},
    "convolution": {"width": 12, "layers": 3, "kernel": 3},
    "self_attention": {"width": 12, "layers": 2, "heads": 2, "context": 40},
}


def model_of(kind: str) -> CharacterModel:
    torch.manual_seed(1)
    return CharacterModel(kind, SIZES[kind], vocabulary=9).eval().requires_grad_(False)


def expected_of(model: CharacterModel, embedded: torch.Tensor, character: int) -> float:
    return float(model.read_out(embedded)[0, -1].log_softmax(dim=-1)[character])


@pytest.mark.parametrize("kind", SIZES)
def test_reach_is_what_a_small_change_of_each_vector_does_to_the_expectation(kind):
    model = model_of(kind).double()
    characters = torch.randint(0, 9, (1, 7))
    embedded = model.embedding(characters)
    likeliest = int(model(characters)[0, -1].argmax())
    slopes, step = torch.zeros(7, 12, dtype=torch.double), 1e-5
    for place in range(7):
        for channel in range(12):
            change = torch.zeros_like(embedded)
            change[0, place, channel] = step
            up, down = (expected_of(model, embedded + sign * change, likeliest) for sign in (1, -1))
            slopes[place, channel] = (up - down) / (2 * step)
    assert torch.allclose(reach(model, characters)[0], slopes.norm(dim=-1), atol=1e-7)


@pytest.mark.parametrize("kind", SIZES)
def test_passages_of_a_batch_do_not_meet(kind):
    model, characters = model_of(kind), torch.randint(0, 9, (3, 10))
    together = reach(model, characters)
    alone = torch.cat([reach(model, passage[None]) for passage in characters])
    assert torch.allclose(together, alone, atol=1e-6)


def test_the_model_is_left_as_it_was():
    model = model_of("lstm").requires_grad_(True)
    reach(model, torch.randint(0, 9, (1, 6)))
    assert all(parameter.grad is None for parameter in model.parameters())


def test_reach_works_where_gradients_are_switched_off():
    model, characters = model_of("rnn"), torch.randint(0, 9, (1, 6))
    with torch.no_grad():
        quiet = reach(model, characters)
    assert torch.equal(quiet, reach(model, characters))
    assert not quiet.requires_grad


@pytest.mark.parametrize(("layers", "kernel"), [(1, 2), (2, 3), (3, 5)])
def test_a_convolution_feels_exactly_its_window(layers, kernel):
    torch.manual_seed(0)
    sizes = {"width": 8, "layers": layers, "kernel": kernel}
    model = CharacterModel("convolution", sizes, vocabulary=9).eval().requires_grad_(False)
    norms = by_distance(reach(model, torch.randint(0, 9, (1, 40))))[0]
    window = 1 + layers * (kernel - 1)
    assert model.body.reach == window
    assert bool((norms[:window] > 0).all())
    assert bool((norms[window:] == 0).all())
    assert farthest_distance(norms) == window - 1


def test_a_linear_recurrence_fades_by_its_factor_at_each_step():
    """With h_t = x_t + a h_(t-1) the gradient at distance s is a^s times that at distance 0 (Bengio et al. 1994)."""

    class Fading(nn.Module):
        def forward(self, x):
            states, state = [], torch.zeros_like(x[:, 0])
            for step in x.unbind(dim=1):
                state = step + 0.8 * state
                states.append(state)
            return torch.stack(states, dim=1)

    model = model_of("rnn")
    model.body = Fading()
    norms = by_distance(reach(model, torch.randint(0, 9, (1, 30))))[0]
    assert torch.allclose(norms, 0.8 ** torch.arange(30.0), rtol=1e-4)
    assert half_life(norms) == pytest.approx(math.log(2) / -math.log(0.8), rel=1e-3)


def test_shares_sum_to_one_and_keep_the_order():
    norms = torch.tensor([[1.0, 2.0, 5.0], [0.0, 0.0, 4.0]])
    assert torch.equal(shares(norms), torch.tensor([[0.125, 0.25, 0.625], [0.0, 0.0, 1.0]]))


def test_by_distance_begins_with_the_last_character_which_is_one():
    assert torch.equal(by_distance(torch.tensor([[1.0, 2.0, 4.0]])), torch.tensor([[1.0, 0.5, 0.25]]))


def test_half_life_of_what_does_not_fall_is_infinite_and_of_one_value_unknown():
    assert half_life(torch.ones(5)) == math.inf
    assert half_life(torch.tensor([1.0, 2.0, 4.0])) == math.inf
    assert math.isnan(half_life(torch.tensor([1.0, 0.0, 0.0])))
    assert half_life(torch.tensor([1.0, 0.5, 0.25, 0.0])) == pytest.approx(1.0)


def test_the_edge_is_the_last_place_from_which_anything_comes():
    assert farthest_distance(torch.tensor([1.0, 0.0, 0.3, 0.0])) == 2
    assert farthest_distance(torch.zeros(3)) == -1
