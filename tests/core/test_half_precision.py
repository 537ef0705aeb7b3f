from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.models.half_precision import load_weights, save_weights


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


def test_a_shared_weight_is_written_once(tmp_path: Path):
    save_weights(Tied(), tmp_path / "tied.safetensors")
    assert "head.weight" not in load_file(tmp_path / "tied.safetensors")


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
