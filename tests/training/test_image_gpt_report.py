"""Image-GPT measured: what is stored is what is measured, what was not trained is left out, and a reader takes it."""

import json
import sys
from dataclasses import asdict
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from core.models.image_gpt import ImageGPT, ImageGPTConfig
from core.models.stored_weights import save_weights
from core.results.image_gpt_results import IMAGE_GPT, results
from core.vision.pixel_drawing import surprise
from core.zoo.image_gpts import load_image_gpt
from training.image_gpt import report


@pytest.fixture
def data(tmp_path):
    """Ten classes of flat pictures with noise, each class a grey of its own."""
    dice, archive = np.random.default_rng(0), {}
    for split, count in (("train", 40), ("test", 10)):
        files = []
        for number in range(count):
            values = 20 + 22 * (number % 10) + dice.integers(-8, 9, (32, 32, 3))
            file = BytesIO()
            Image.fromarray(values.clip(0, 255).astype(np.uint8)).save(file, "JPEG")
            files.append(np.frombuffer(file.getvalue(), dtype=np.uint8))
        archive[f"{split}_jpeg"] = np.concatenate(files)
        archive[f"{split}_offsets"] = np.cumsum([0, *map(len, files)])
        archive[f"{split}_labels"] = np.arange(count, dtype=np.uint8) % 10
    np.savez(tmp_path / "cifar10_jpeg.npz", **archive)
    return tmp_path


def trained(run, task):
    torch.manual_seed(0)
    config = ImageGPTConfig(colours=27, width=16, layers=2, heads=2, causal=task == "next")
    network = ImageGPT(config)
    network.palette.copy_(torch.cartesian_prod(*[torch.tensor([0.1, 0.5, 0.9])] * 3))
    save_weights(network, run / task / "model.safetensors")
    story = {"plan": {"steps": 7}, "batch": 4, "sizes": asdict(config), "seconds": 60, "hardware": "a machine"}
    (run / task / "run.json").write_text(json.dumps(story))


@pytest.mark.parametrize("tasks", [("next",), ("next", "hidden")])
def test_what_is_trained_is_stored_measured_and_told(data, tmp_path, monkeypatch, tasks):
    run, out = tmp_path / "runs", tmp_path / "weights"
    out.mkdir()
    for task in tasks:
        trained(run, task)
    argv = ["report", "--data", str(data), "--run", str(run), "--out", str(out), "--pictures", "10", "--probe", "30"]
    monkeypatch.setattr(sys, "argv", argv)
    report.main()
    measurements = results(out)
    assert (measurements.filled is None) == ("hidden" not in tasks)
    assert set(measurements.probe.layers) == {*tasks, "untrained"}
    assert all(len(layers) == 3 for layers in measurements.probe.layers.values())
    assert measurements.probe.pixels > 0.5  # a grey tells its class
    reader = load_image_gpt("next", folder=out)
    pictures = torch.from_numpy(np.load(run / "pictures" / "test.npy")).float() / 255
    bits = surprise(reader.network, reader.network.read(pictures)).mean()
    assert measurements.bits.by_way[IMAGE_GPT].mean == pytest.approx(float(bits), abs=1e-3)
    card = (out / "CARD.md").read_text()
    assert f"{measurements.bits.by_way[IMAGE_GPT].mean:.3f} ±" in card
    assert ("Hidden pixels were not measured." in card) == ("hidden" not in tasks)


def test_without_anything_trained_it_says_what_to_run(data, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["report", "--data", str(data), "--run", str(tmp_path), "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"python -m training\.image_gpt"):
        report.main()
