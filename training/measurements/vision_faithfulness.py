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
from core.results.classifier_results import RANDOM, SIDES
from core.vision.logits import probability_of
from core.zoo import IMAGE, ImageModel
from core.zoo.embedded import SIDE, WEIGHTS, load_embedded_image
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import TINY_IMAGENET
from training.common.pictures import decode
from training.tiny_imagenet.data import normalise

STEPS = 16  # of 64 patches, four at a time
PER_CLASS = 2
SEED = 0
TOGETHER = 25  # pictures that are explained at once
FILE = "faithfulness.json"


@dataclass(frozen=True)
class Measured:
    """The curves of one order for many pictures, (picture, share) each."""

    deletion: np.ndarray
    insertion: np.ndarray


def main() -> None:
    """Measure each model that was asked for, or all that are there."""
    arguments = command_line().read()
    pictures, labels = chosen_pictures(arguments.data)
    for name in [arguments.model] if arguments.model else IMAGE:
        if not (WEIGHTS / name / "model.safetensors").exists():
            print(f"{name}: no weights yet", flush=True)
            continue
        model = load_embedded_image(name)
        if not explains(model):
            print(f"{name}: looks through windows, no explanation here", flush=True)
            continue
        found = measure_all(model, normalise(pictures.float() / 255))
        results = summary(found) | {"correct": share_correct(model, pictures, labels)}
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
    """Whether there are explanations of it: windows have none."""
    return not model.attends or bool(model.prefix)


def measure_all(model: ImageModel, pictures: Tensor) -> dict[str, Measured]:
    """The curves of every explanation and of random orders, for the class that the model itself finds most probable."""
    curves: dict[str, list[Faithfulness]] = {}
    grid = grid_for(model, patches_of(model, pictures))
    for number, (picture, maps, classes) in enumerate(explained(model, pictures)):
        orders = {name: order_of(scores, grid, seed=number) for name, scores in maps.items()}
        (orders[RANDOM],) = random_orders(grid[0] * grid[1], 1, seed=number)
        for name, one in measure(probability_of(model.network, classes), picture, orders, grid, STEPS).items():
            curves.setdefault(name, []).append(one)
        if number % 25 == 24:
            print(f"{model.name}: {number + 1} of {len(pictures)} pictures", flush=True)
    return {
        name: Measured(
            np.stack([one.deletion.numpy() for one in many]), np.stack([one.insertion.numpy() for one in many])
        )
        for name, many in curves.items()
    }


def explained(model: ImageModel, pictures: Tensor) -> Iterator[tuple[Tensor, dict[str, Tensor], int]]:
    """Each picture (1, channel, row, column) with its maps and the class that they explain."""
    for part in pictures.split(TOGETHER):
        found = explain(model, part, patches_of(model, part))
        assert found.classes is not None
        for item, number in enumerate(found.classes.tolist()):
            yield part[item : item + 1], {name: maps[item] for name, maps in found.maps.items()}, number


def patches_of(model: ImageModel, pictures: Tensor) -> Patches:
    """How the model cuts pictures of this size."""
    rows, columns = (side // patch for side, patch in zip(pictures.shape[-2:], model.patch, strict=True))
    return Patches(rows, columns, model.prefix)


def summary(found: Mapping[str, Measured]) -> dict[str, Any]:
    """Means over the pictures, with their standard errors; `against_random` is that of the difference, by pairs."""
    shares = np.arange(STEPS + 1) / STEPS
    areas = {name: {side: np.trapezoid(getattr(one, side), shares) for side in SIDES} for name, one in found.items()}
    explanations = {
        name: {
            side: mean_and_error(areas[name][side])
            | {
                "against_random": mean_and_error(areas[name][side] - areas[RANDOM][side]),
                "curve": np.round(getattr(one, side).mean(axis=0), 4).tolist(),
            }
            for side in SIDES
        }
        for name, one in found.items()
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
    """How many of these pictures the model names correctly."""
    found = model.network(normalise(pictures.float() / 255)).argmax(dim=-1)
    return (found == labels).float().mean().item()


def save(folder: Path, results: dict[str, Any]) -> None:
    """Write the file beside the weights, with the machine and the version of torch."""
    results = results | {"hardware": hardware(), "torch": torch.__version__.split("+")[0]}
    (folder / FILE).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[TINY_IMAGENET], threads="all")
    parser.add_argument("--model", choices=IMAGE)
    return parser


if __name__ == "__main__":
    main()
