"""Measure how faithful the explanations of the image classifiers are: deletion and insertion on validation pictures.

Writes weights/<model>/faithfulness.json for each model that has weights and
explanations.

    python -m training.measurements.vision_faithfulness --data PATH
    python -m training.measurements.vision_faithfulness --data PATH --model vit-tiny-imagenet
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.attribution.deletion_curves import Faithfulness, random_orders
from core.attribution.image_methods import explain, grid_for
from core.attribution.patch_deletion import BLUR, measure, order_of
from core.images import Patches
from core.results.classifier_results import CLASSIFIERS, RANDOM, SIDES
from core.vision.logits import probability_of
from core.zoo import ImageModel
from core.zoo.embedded import SIDE, WEIGHTS, load_embedded_image
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import TINY_IMAGENET
from training.common.pictures import decode
from training.tiny_imagenet.data import normalise

MODELS = tuple(name for name in CLASSIFIERS if name.endswith("tiny-imagenet"))  # which read these small pictures
STEPS = 16  # of 64 patches, four at a time
PER_CLASS = 2
SEED = 0
BATCH_SIZE = 25  # pictures that are explained at once
FILE = "faithfulness.json"


@dataclass(frozen=True)
class OrderCurves:
    """The deletion and insertion curves of one order, each of shape (picture, share)."""

    deletion: np.ndarray
    insertion: np.ndarray


def main() -> None:
    """Measure the model of `--model`, or all that have weights."""
    arguments = command_line().read()
    pictures, labels = chosen_pictures(arguments.data)
    for name in [arguments.model] if arguments.model else MODELS:
        if not (WEIGHTS / name / "model.safetensors").exists():
            print(f"{name}: no weights yet", flush=True)
            continue
        model = load_embedded_image(name)
        if not explains(model):
            print(f"{name}: looks through windows, no explanation here", flush=True)
            continue
        curves_by_order = measure_all(model, normalise(pictures.float() / 255))
        results = summary(curves_by_order) | {"correct": share_correct(model, pictures, labels)}
        save(WEIGHTS / name, results | {"pictures": len(pictures)})


def chosen_pictures(data: Path) -> tuple[Tensor, Tensor]:
    """PER_CLASS validation pictures of each class, drawn with SEED, (picture, channel, row, column) uint8; classes."""
    with np.load(data / "tiny_imagenet_100.npz") as archive:
        labels = archive["val_labels"].astype(np.int64)
        draw = np.random.default_rng(SEED)
        numbers = np.concatenate(
            [draw.choice(np.flatnonzero(labels == label), PER_CLASS, replace=False) for label in np.unique(labels)]
        )
        jpeg, offsets = archive["val_jpeg"], archive["val_offsets"]
        files = [jpeg[offsets[number] : offsets[number + 1]] for number in numbers]
    ends = np.cumsum([0, *map(len, files)])
    return torch.from_numpy(decode(np.concatenate(files), ends, side=64)), torch.from_numpy(labels[numbers])


def explains(model: ImageModel) -> bool:
    """Whether there are explanations of a model: there are none of windowed attention."""
    return not model.attends or bool(model.prefix)


def measure_all(model: ImageModel, pictures: Tensor) -> dict[str, OrderCurves]:
    """The curves of every explanation and of random orders, for the class that the model predicts."""
    curves: dict[str, list[Faithfulness]] = {}
    grid = grid_for(model, patches_of(model, pictures))
    for number, (picture, maps, classes) in enumerate(explained_batches(model, pictures)):
        orders = {name: order_of(scores, grid, seed=number) for name, scores in maps.items()}
        (orders[RANDOM],) = random_orders(grid[0] * grid[1], 1, seed=number)
        for name, curve in measure(probability_of(model.network, classes), picture, orders, grid, STEPS).items():
            curves.setdefault(name, []).append(curve)
        if number % 25 == 24:
            print(f"{model.name}: {number + 1} of {len(pictures)} pictures", flush=True)
    return {
        name: OrderCurves(
            np.stack([curve.deletion.numpy() for curve in curves_of_order]),
            np.stack([curve.insertion.numpy() for curve in curves_of_order]),
        )
        for name, curves_of_order in curves.items()
    }


def explained_batches(model: ImageModel, pictures: Tensor) -> Iterator[tuple[Tensor, dict[str, Tensor], int]]:
    """Each picture (1, channel, row, column) with its maps and the class that they explain."""
    for part in pictures.split(BATCH_SIZE):
        explanation = explain(model, part, patches_of(model, part))
        assert explanation.classes is not None
        for place, number in enumerate(explanation.classes.tolist()):
            yield part[place : place + 1], {name: maps[place] for name, maps in explanation.maps.items()}, number


def patches_of(model: ImageModel, pictures: Tensor) -> Patches:
    """The grid of patches of pictures of this size."""
    rows, columns = (side // patch for side, patch in zip(pictures.shape[-2:], model.patch, strict=True))
    return Patches(rows, columns, model.prefix)


def summary(curves_by_order: Mapping[str, OrderCurves]) -> dict[str, Any]:
    """Means over the pictures with standard errors; `against_random`: of the paired difference from random orders."""
    shares = np.arange(STEPS + 1) / STEPS
    areas = {
        name: {side: np.trapezoid(getattr(curves, side), shares) for side in SIDES}
        for name, curves in curves_by_order.items()
    }
    explanations = {
        name: {
            side: mean_and_error(areas[name][side])
            | {
                "against_random": mean_and_error(areas[name][side] - areas[RANDOM][side]),
                "curve": np.round(getattr(curves, side).mean(axis=0), 4).tolist(),
            }
            for side in SIDES
        }
        for name, curves in curves_by_order.items()
    }
    for side in SIDES:
        del explanations[RANDOM][side]["against_random"]
    return {
        "explanations": explanations,
        "shares": shares.tolist(),
        "side": SIDE,
        "blur": BLUR,
        "seed": SEED,
    }


def mean_and_error(values: np.ndarray) -> dict[str, float]:
    """The mean of many pictures and its standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    return {"mean": round(float(values.mean()), 5), "standard_error": round(float(error), 5)}


@torch.inference_mode()
def share_correct(model: ImageModel, pictures: Tensor, labels: Tensor) -> float:
    """The accuracy of the model on these pictures."""
    predictions = model.network(normalise(pictures.float() / 255)).argmax(dim=-1)
    return (predictions == labels).float().mean().item()


def save(folder: Path, results: dict[str, Any]) -> None:
    """Write the file beside the weights, with the machine and the version of torch."""
    results = results | {"hardware": hardware(), "torch": torch.__version__.split("+")[0]}
    (folder / FILE).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[TINY_IMAGENET], threads="all")
    parser.add_argument("--model", choices=MODELS)
    return parser


if __name__ == "__main__":
    main()
