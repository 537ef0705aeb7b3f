import copy
from pathlib import Path

import torch

from core.models.stored_weights import load_weights, save_weights
from tests.core.tiny_translators import tiny
from training.common.stored import as_stored


def test_what_is_measured_has_the_weights_that_are_then_stored(tmp_path: Path):
    trained = tiny("transformer", vocabulary=500)
    measured = as_stored(trained, tmp_path / "measured.safetensors", eight_bits=True)
    save_weights(measured, tmp_path / "stored.safetensors", eight_bits=True)
    stored = load_weights(lambda: copy.deepcopy(trained), tmp_path / "stored.safetensors")
    for name, weights in measured.state_dict().items():
        assert torch.equal(weights, stored.state_dict()[name])
    assert any(not torch.equal(weights, trained.state_dict()[name]) for name, weights in measured.state_dict().items())
