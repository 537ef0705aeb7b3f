import copy
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.models.stored_weights import convert_to_eight_bits, count_weights, load_weights, read_weight, save_weights


class Tied(nn.Module):
    def __init__(self, width: int = 6):
        super().__init__()
        self.embedding = nn.Embedding(11, width)
        self.head = nn.Linear(width, 11, bias=False)
        self.head.weight = self.embedding.weight
        self.recurrence = nn.GRU(width, width)
        self.register_buffer("count", torch.ones(3))
        nn.init.normal_(self.embedding.weight, std=2.0)


def test_weights_come_back_as_they_were_within_half_precision(tmp_path: Path):
    network = Tied()
    save_weights(network, tmp_path / "tied.safetensors")
    loaded = load_weights(Tied, tmp_path / "tied.safetensors")
    for name, tensor in network.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], tensor.half().float()), name
    assert loaded.head.weight is loaded.embedding.weight
    assert not loaded.training
    assert not any(parameter.requires_grad for parameter in loaded.parameters())


def test_in_eight_bits_a_weight_is_half_a_step_of_its_row_away_at_most_and_the_file_half_as_large(tmp_path: Path):
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(300, 200), nn.Conv2d(8, 200, 3), nn.LayerNorm(200))
    with torch.no_grad():
        network[0].weight[3] *= 1000
        network[0].weight[4] = 0
    save_weights(network, tmp_path / "half.safetensors")
    save_weights(network, tmp_path / "eight.safetensors", eight_bits=True)
    loaded = load_weights(lambda: copy.deepcopy(network), tmp_path / "eight.safetensors")
    for name, tensor in network.state_dict().items():
        restored = loaded.state_dict()[name]
        if tensor.ndim == 1:
            assert torch.equal(restored, tensor.half().float()), name
        else:
            largest = tensor.flatten(1).abs().amax(dim=1)
            away = (restored - tensor).flatten(1).abs().amax(dim=1)
            assert (away <= largest * (0.5 / 127 + 0.001) + 1e-6).all(), name
            assert (away > 0).any(), name
    sizes = [(tmp_path / name).stat().st_size for name in ("eight.safetensors", "half.safetensors")]
    assert sizes[0] < 0.53 * sizes[1]


class Large(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(300, 200), nn.Conv2d(8, 200, 3), nn.LayerNorm(200))


def test_a_file_that_is_converted_is_the_one_that_would_have_been_written_in_eight_bits(tmp_path: Path):
    torch.manual_seed(0)
    save_weights(Large(), tmp_path / "half.safetensors")
    stored = load_weights(Large, tmp_path / "half.safetensors")
    save_weights(stored, tmp_path / "eight.safetensors", eight_bits=True)
    convert_to_eight_bits(tmp_path / "half.safetensors")
    assert (tmp_path / "half.safetensors").read_bytes() == (tmp_path / "eight.safetensors").read_bytes()


def test_a_file_in_eight_bits_is_not_converted(tmp_path: Path):
    save_weights(Large(), tmp_path / "eight.safetensors", eight_bits=True)
    with pytest.raises(ValueError, match=r"eight\.safetensors is stored in 8 bits already\."):
        convert_to_eight_bits(tmp_path / "eight.safetensors")


def test_weights_that_come_from_eight_bits_are_stored_in_them_without_a_further_loss(tmp_path: Path):
    torch.manual_seed(0)
    save_weights(Large(), tmp_path / "once.safetensors", eight_bits=True)
    save_weights(load_weights(Large, tmp_path / "once.safetensors"), tmp_path / "twice.safetensors", eight_bits=True)
    assert (tmp_path / "once.safetensors").read_bytes() == (tmp_path / "twice.safetensors").read_bytes()


@pytest.mark.parametrize("eight_bits", [False, True])
def test_the_weights_of_a_file_are_counted_without_their_steps(eight_bits: bool, tmp_path: Path):
    save_weights(Large(), tmp_path / "large.safetensors", eight_bits=eight_bits)
    assert count_weights(tmp_path / "large.safetensors") == sum(weight.numel() for weight in Large().parameters())
    assert count_weights(tmp_path / "large.safetensors", only=["0.weight"]) == Large()[0].weight.numel()


def test_a_shared_weight_is_written_once(tmp_path: Path):
    save_weights(Tied(), tmp_path / "tied.safetensors")
    assert "head.weight" not in load_file(tmp_path / "tied.safetensors")


@pytest.mark.parametrize("eight_bits", [False, True])
def test_a_weight_that_another_file_holds_is_read_from_there(eight_bits: bool, tmp_path: Path):
    first, second = Large(), Large()
    second[0].weight = first[0].weight
    save_weights(first, tmp_path / "first.safetensors", eight_bits=eight_bits)
    save_weights(second, tmp_path / "second.safetensors", eight_bits=eight_bits, stored_elsewhere=["0.weight"])
    assert "0.weight" not in load_file(tmp_path / "second.safetensors")
    shared = {"0.weight": read_weight(tmp_path / "first.safetensors", "0.weight")}
    loaded = load_weights(Large, tmp_path / "second.safetensors", stored_elsewhere=shared)
    expected = load_weights(Large, tmp_path / "first.safetensors")
    assert torch.equal(loaded[0].weight, expected[0].weight)
    assert not torch.equal(loaded[1].weight, expected[1].weight)
    with pytest.raises(ValueError, match=r"missing \['0.weight'\]"):
        load_weights(Large, tmp_path / "second.safetensors")


def test_loading_draws_no_random_numbers_and_leaves_drawing_as_it_was(tmp_path: Path):
    save_weights(Tied(), tmp_path / "tied.safetensors")
    before = torch.get_rng_state()
    load_weights(Tied, tmp_path / "tied.safetensors")
    assert torch.equal(torch.get_rng_state(), before)
    assert nn.init.normal_(torch.zeros(100)).std() > 0.5


def test_a_file_that_does_not_fit_is_an_error_that_names_what_is_missing(tmp_path: Path):
    save_weights(nn.Embedding(11, 6), tmp_path / "other.safetensors")
    with pytest.raises(ValueError, match=r"missing \['count', 'embedding.weight', .*unknown \['weight'\]"):
        load_weights(Tied, tmp_path / "other.safetensors")
