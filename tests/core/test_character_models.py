"""Five bodies are what their docstrings say: equations worked out with the module's own weights, and no future seen."""

import json
import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from core.errors import ModelError
from core.models.character import BODIES, Alphabet, CharacterModel, load_characters, save_characters
from core.models.convolution import Convolution
from core.models.gru import GRU
from core.models.lstm import LSTM
from core.models.rnn import RNN
from core.models.self_attention import SelfAttention

WIDTH, LENGTH = 8, 12
SIZES = {
    "rnn": {"width": WIDTH, "layers": 2},
    "lstm": {"width": WIDTH, "layers": 2},
    "gru": {"width": WIDTH, "layers": 2},
    "convolution": {"width": WIDTH, "layers": 3, "kernel": 3},
    "self_attention": {"width": WIDTH, "layers": 2, "heads": 2, "context": 32},
}


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def weights_of(recurrence: nn.Module, layer: int) -> tuple[torch.Tensor, ...]:
    return tuple(getattr(recurrence, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))


@torch.no_grad()
def test_an_rnn_follows_its_equation():
    model, x = RNN(WIDTH, layers=2), torch.randn(1, LENGTH, WIDTH)
    hidden = x[0]
    for layer in range(2):
        w, u, b, b_hidden = weights_of(model.recurrence, layer)
        h, states = torch.zeros(WIDTH), []
        for x_t in hidden:
            h = torch.tanh(w @ x_t + u @ h + b + b_hidden)
            states.append(h)
        hidden = torch.stack(states)
    assert torch.allclose(model(x)[0], hidden, atol=1e-6)


@torch.no_grad()
def test_an_lstm_follows_its_equations():
    model, x = LSTM(WIDTH, layers=2), torch.randn(1, LENGTH, WIDTH)
    hidden = x[0]
    for layer in range(2):
        w, u, b, b_hidden = weights_of(model.recurrence, layer)
        h, c, states = torch.zeros(WIDTH), torch.zeros(WIDTH), []
        for x_t in hidden:
            i, f, g, o = (w @ x_t + u @ h + b + b_hidden).chunk(4)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            states.append(h)
        hidden = torch.stack(states)
    assert torch.allclose(model(x)[0], hidden, atol=1e-6)


@torch.no_grad()
def test_a_gru_follows_its_equations():
    model, x = GRU(WIDTH, layers=2), torch.randn(1, LENGTH, WIDTH)
    hidden = x[0]
    for layer in range(2):
        w, u, b, b_hidden = weights_of(model.recurrence, layer)
        h, states = torch.zeros(WIDTH), []
        for x_t in hidden:
            r_in, z_in, n_in = (w @ x_t + b).chunk(3)
            r_state, z_state, n_state = (u @ h + b_hidden).chunk(3)
            r, z = torch.sigmoid(r_in + r_state), torch.sigmoid(z_in + z_state)
            h = (1 - z) * torch.tanh(n_in + r * n_state) + z * h
            states.append(h)
        hidden = torch.stack(states)
    assert torch.allclose(model(x)[0], hidden, atol=1e-6)


@torch.no_grad()
def test_a_convolution_adds_up_the_tokens_under_its_kernel():
    model, x = Convolution(WIDTH, layers=2, kernel=3), torch.randn(1, LENGTH, WIDTH)
    hidden = x[0]
    for norm, convolution in zip(model.norms, model.convolutions, strict=True):
        normed, changed = norm(hidden), []
        for place in range(LENGTH):
            total = convolution.bias.clone()
            for back in range(3):  # the kernel's last column lies on the token itself
                if place - back >= 0:
                    total += convolution.weight[:, :, 2 - back] @ normed[place - back]
            changed.append(hidden[place] + F.gelu(total))
        hidden = torch.stack(changed)
    assert torch.allclose(model(x)[0], model.norm(hidden), atol=1e-6)


@torch.no_grad()
def test_a_causal_transformer_layer_is_attention_then_an_mlp_written_out():
    model, x = SelfAttention(WIDTH, layers=1, heads=2, context=16), torch.randn(1, LENGTH, WIDTH)
    [layer] = model.layers
    hidden = x[0] + model.position_embedding.weight[:LENGTH]
    query, key, value = layer.attention.qkv(layer.attention_norm(hidden)).chunk(3, dim=-1)
    mixed = torch.zeros(LENGTH, WIDTH)
    for head in (slice(0, 4), slice(4, 8)):
        for place in range(LENGTH):
            scores = key[: place + 1, head] @ query[place, head] / math.sqrt(4)
            mixed[place, head] = scores.softmax(dim=0) @ value[: place + 1, head]
    hidden = hidden + layer.attention.out(mixed)
    hidden = hidden + layer.mlp(layer.mlp_norm(hidden)[None])[0]
    assert torch.allclose(model(x)[0], model.norm(hidden), atol=1e-5)


def test_the_forget_gates_of_a_new_lstm_are_open():
    for layer in range(2):
        _, _, bias, _ = weights_of(LSTM(WIDTH, layers=2).recurrence, layer)
        assert bool((bias[WIDTH : 2 * WIDTH] == 1).all())
        assert not bool((bias[:WIDTH] == 1).any())


@pytest.mark.parametrize("kind", BODIES)
@torch.no_grad()
def test_a_later_character_never_changes_an_earlier_output(kind):
    model, characters = CharacterModel(kind, SIZES[kind], vocabulary=20).eval(), torch.randint(1, 20, (1, LENGTH))
    before = model(characters)
    for place in range(LENGTH):
        changed = characters.clone()
        changed[0, place] = 0
        after = model(changed)
        assert torch.allclose(after[:, :place], before[:, :place], atol=1e-6)
        assert not torch.allclose(after[:, place], before[:, place], atol=1e-4)


@pytest.mark.parametrize("kind", BODIES)
@torch.no_grad()
def test_reading_out_goes_on_from_the_embedded_characters(kind):
    model, characters = CharacterModel(kind, SIZES[kind], vocabulary=20).eval(), torch.randint(0, 20, (2, LENGTH))
    assert torch.equal(model.read_out(model.embedding(characters)), model(characters))


def test_too_many_characters_for_learned_positions_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match=r"33 tokens do not fit: only 32 positions"):
        SelfAttention(WIDTH, layers=1, heads=2, context=32)(torch.zeros(1, 33, WIDTH))


def test_an_alphabet_gives_back_what_it_was_given():
    alphabet = Alphabet("\n abc")
    numbers = alphabet.encode("a cab\nb").tolist()
    assert numbers == [3, 2, 5, 3, 4, 1, 4]
    assert "".join(map(alphabet.label, numbers)) == "a cab\nb"
    assert len(alphabet) == 6


def test_all_unknown_characters_are_one_and_each_is_named_once():
    alphabet = Alphabet("abc")
    assert alphabet.encode("aé😀éb").tolist() == [1, 0, 0, 0, 2]
    assert alphabet.unknown("aé😀éb") == "é😀"
    assert alphabet.label(0) == "\ufffd"


def test_models_come_back_from_a_folder_as_they_were_saved(tmp_path: Path):
    alphabet = Alphabet("abcdefg")
    models = {kind: CharacterModel(kind, SIZES[kind], len(alphabet)).eval() for kind in BODIES}
    save_characters(tmp_path, alphabet, models)
    again, loaded = load_characters(tmp_path)
    assert again == alphabet
    assert list(loaded) == list(models)
    for kind, model in loaded.items():
        expected = {name: tensor.half().float() for name, tensor in models[kind].state_dict().items()}
        assert all(torch.equal(expected[name], tensor) for name, tensor in model.state_dict().items())
        assert not any(parameter.requires_grad for parameter in model.parameters())
        assert not model.training


def test_one_model_can_be_loaded_without_the_others(tmp_path: Path):
    alphabet = Alphabet("abc")
    save_characters(tmp_path, alphabet, {"gru": CharacterModel("gru", SIZES["gru"], 4)})
    config = json.loads((tmp_path / "config.json").read_text())
    config["models"]["rnn"] = {"kind": "rnn", "sizes": SIZES["rnn"]}  # whose weights are not here
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert list(load_characters(tmp_path, ("gru",))[1]) == ["gru"]


def test_a_folder_without_models_is_an_error_that_names_it(tmp_path: Path):
    with pytest.raises(ModelError, match=f"missing from {tmp_path.name}/"):
        load_characters(tmp_path)
