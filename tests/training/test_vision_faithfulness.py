"""Faithfulness over many pictures: whose pictures, which curves, which errors."""

import json
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from core.attribution.deletion_curves import random_orders
from core.attribution.image_methods import explain
from core.attribution.patch_deletion import measure, order_of
from core.images import Patches
from core.models.image_classifiers import make_image_classifier
from core.results.classifier_results import RANDOM, faithful
from core.vision.logits import probability_of
from core.zoo.embedded import load_embedded_image, save_image
from training.measurements import vision_faithfulness
from training.measurements.vision_faithfulness import (
    FILE,
    OrderCurves,
    chosen_pictures,
    explains,
    main,
    measure_all,
    summary,
)
from training.tiny_imagenet.cards import card_table

SIZES = {
    "vit": {"img_size": 64, "patch_size": 8, "embed_dim": 16, "depth": 2, "num_heads": 2, "num_classes": 3},
    "plain": {"widths": (4, 6, 8, 8), "depth": 1, "num_classes": 3},
    "swin": {
        **{"img_size": 64, "patch_size": 4, "window_size": 4, "embed_dim": 8, "depths": (1, 1)},
        **{"num_heads": (1, 2), "num_classes": 3},
    },
}


def saved(architecture, weights):
    torch.manual_seed(0)
    folder = weights / f"{architecture}-tiny-imagenet"
    folder.mkdir()
    network = make_image_classifier(architecture, SIZES[architecture]).eval()
    save_image(
        network,
        folder,
        architecture=architecture,
        sizes=SIZES[architecture],
        mean=(0.5,) * 3,
        deviation=(0.25,) * 3,
        classes=list("abc"),
    )
    return load_embedded_image(folder.name, weights=weights)


@pytest.fixture
def data(tmp_path):
    """Three classes of four pictures each, every one a plain colour of its own."""
    files = []
    for number in range(12):
        file = BytesIO()
        Image.new("RGB", (64, 64), (20 * number, 100, 250 - 20 * number)).save(file, "PNG")
        files.append(np.frombuffer(file.getvalue(), dtype=np.uint8))
    np.savez(
        tmp_path / "tiny_imagenet_100.npz",
        val_jpeg=np.concatenate(files),
        val_offsets=np.cumsum([0, *map(len, files)]),
        val_labels=np.arange(12) % 3,
    )
    return tmp_path


def test_two_pictures_of_each_class_are_chosen_and_always_the_same_ones(data):
    pictures, labels = chosen_pictures(data)
    assert labels.tolist() == [0, 0, 1, 1, 2, 2]
    numbers = (pictures[:, 0, 0, 0] // 20).tolist()  # read from their colours
    assert [number % 3 for number in numbers] == labels.tolist()
    assert len(set(numbers)) == 6
    assert torch.equal(pictures, chosen_pictures(data)[0])


@pytest.mark.parametrize(
    ("architecture", "names"),
    [("vit", {"attention", "rollout", "relevance", RANDOM}), ("plain", {"activation", RANDOM})],
)
def test_each_explanation_is_measured_like_a_single_picture(architecture, names, tmp_path):
    model = saved(architecture, tmp_path)
    pictures = torch.randn(3, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    curves = measure_all(model, pictures)
    assert set(curves) == names
    patches = Patches(8, 8, ("class",)) if architecture == "vit" else Patches(4, 4)
    explained = explain(model, pictures[2:], patches)
    orders = {name: order_of(maps[0], (8, 8), seed=2) for name, maps in explained.maps.items()}
    orders[RANDOM] = random_orders(64, 1, seed=2)[0]
    classify = probability_of(model.network, int(explained.classes[0]))
    for name, one in measure(classify, pictures[2:], orders, (8, 8), 16).items():
        np.testing.assert_allclose(curves[name].deletion[2], one.deletion, atol=1e-5)
        np.testing.assert_allclose(curves[name].insertion[2], one.insertion, atol=1e-5)


def test_means_and_standard_errors_are_those_of_the_areas_of_the_pictures():
    shares = np.arange(17) / 16
    levels, chance = np.array([0.2, 0.4, 0.9]), np.array([0.3, 0.7, 0.8])
    flat = {name: np.repeat(of[:, None], len(shares), axis=1) for name, of in (("a", levels), (RANDOM, chance))}
    results = summary({name: OrderCurves(deletion=of, insertion=1 - of) for name, of in flat.items()})
    of = results["explanations"]["a"]["deletion"]
    assert of["mean"] == pytest.approx(0.5)
    assert of["standard_error"] == pytest.approx(np.std(levels, ddof=1) / 3**0.5, abs=1e-5)
    assert of["against_random"]["mean"] == pytest.approx(-0.1)
    assert of["against_random"]["standard_error"] == pytest.approx(np.std(levels - chance, ddof=1) / 3**0.5, abs=1e-5)
    assert results["explanations"]["a"]["insertion"]["mean"] == pytest.approx(0.5)
    assert "against_random" not in results["explanations"][RANDOM]["deletion"]


def test_every_model_with_weights_gets_a_file_and_windows_get_none(data, tmp_path, monkeypatch, capsys):
    weights = tmp_path / "weights"
    weights.mkdir()
    models = {f"{name}-tiny-imagenet": saved(name, weights) for name in SIZES}
    assert [explains(model) for model in models.values()] == [True, True, False]
    monkeypatch.setattr(vision_faithfulness, "WEIGHTS", weights)
    monkeypatch.setattr(vision_faithfulness, "load_embedded_image", models.__getitem__)
    monkeypatch.setattr("sys.argv", ["vision_faithfulness", "--data", str(data), "--threads", "1"])
    main()
    output = capsys.readouterr().out
    assert "resnet-tiny-imagenet: no weights yet" in output
    assert "swin-tiny-imagenet: looks through windows" in output
    assert not (weights / "swin-tiny-imagenet" / FILE).exists()
    for name in ("vit", "plain"):
        results = json.loads((weights / f"{name}-tiny-imagenet" / FILE).read_text())
        assert results["pictures"] == 6
        assert len(results["shares"]) == len(results["explanations"][RANDOM]["deletion"]["curve"]) == 17
        assert results["torch"]
        table = card_table(faithful(weights / f"{name}-tiny-imagenet"), {RANDOM: "at random"})
        assert table.count("\n") == 1 + len(results["explanations"])
        assert "| at random | " in table
