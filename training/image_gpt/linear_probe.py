"""What a linear classifier gets out of each layer of image-GPT (Chen et al. 2020, section 2.5)."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from core.models.image_gpt import ImageGPT
from core.results.image_gpt_results import UNTRAINED
from core.zoo.image_gpts import PixelReader
from training.image_gpt.train import PLAN, portions

PENALTY = 0.1  # C of the logistic regression: the smaller, the smaller its weights


def probe(
    readers: Mapping[str, PixelReader],
    images: Int[Tensor, "_ channel row column"],
    labels: Int[Tensor, " _"],
    tests: Int[Tensor, "_ channel row column"],
    test_labels: Int[Tensor, " _"],
) -> dict[str, Any]:
    """Accuracy of a linear classifier on raw pixels, and on each layer of each network."""
    torch.manual_seed(PLAN.seed)
    first = next(iter(readers.values())).network
    untrained = ImageGPT(first.config).eval().requires_grad_(False)
    untrained.palette.copy_(first.palette)
    results: dict[str, Any] = {"train": len(images), "test": len(tests)}
    raw = [(part.flatten(1).float() / 255).numpy() for part in (images, tests)]
    results["pixels"] = probe_accuracy(raw[0], labels, raw[1], test_labels)
    networks = {task: reader.network for task, reader in readers.items()} | {UNTRAINED: untrained}
    for name, network in networks.items():
        train_features, test_features = (pooled(network, part) for part in (images, tests))
        layers = zip(train_features.unbind(dim=1), test_features.unbind(dim=1), strict=True)
        results[name] = {
            str(layer): {"right": probe_accuracy(train_layer.numpy(), labels, test_layer.numpy(), test_labels)}
            for layer, (train_layer, test_layer) in enumerate(layers)
        }
        print(name, json.dumps(results[name]), flush=True)
    return results


@torch.inference_mode()
def pooled(network: ImageGPT, images: Int[Tensor, "_ channel row column"]) -> Float[Tensor, "_ layer width"]:
    """The mean of all places after each layer; layer 0 is before the first (section 2.5 of the paper)."""
    parts = []
    for part in portions(images):
        colours = network.read(part)
        x = network.features(network.after_start(colours) if network.config.causal else colours, 0)
        means = [x.mean(dim=1)]
        with torch.autocast("cpu", torch.bfloat16):
            for block in network.blocks:
                x = block(x)
                means.append(x.float().mean(dim=1))
        parts.append(torch.stack(means, dim=1))
    return torch.cat(parts)


def probe_accuracy(features: np.ndarray, labels: Tensor, test_features: np.ndarray, test_labels: Tensor) -> float:
    """Test accuracy of a logistic regression on standardised features."""
    classifier = make_pipeline(StandardScaler(), LogisticRegression(C=PENALTY, max_iter=1000))
    classifier.fit(features, labels.numpy())
    return round(float((classifier.predict(test_features) == test_labels.numpy()).mean()), 4)
