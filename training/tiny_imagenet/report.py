"""Measure the image classifiers beside one another and beside logistic regression, and write their cards.

    python -m training.tiny_imagenet.report --data PATH
    python -m training.tiny_imagenet.report --data PATH --enlarged       accuracy at larger sizes, and nothing else

Those without weights are left out. What `training.measurements.vision_faithfulness` has measured stands in the cards
too.
"""

import copy
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.costs.counts import count_flops
from core.models.stored_weights import load_weights
from core.results.classifier_results import SIDE
from core.zoo.embedded import WEIGHTS, load_embedded_image
from core.zoo.image_models import ImageModel
from training.common.command_line import CommandLine
from training.common.data_sets import TINY_IMAGENET
from training.tiny_imagenet.cards import write_cards
from training.tiny_imagenet.data import normalise, read_pictures
from training.tiny_imagenet.train import HALF_PRECISION, RECIPES

BATCH, LARGE_BATCH = 250, 25  # pictures at once; of larger ones
TIMED, ROUNDS = 64, 7  # pictures at once, and how often, when the speed is measured

Pictures = tuple[Tensor, Tensor]  # (picture, channel, row, column) uint8, and class numbers


def main() -> None:
    """Measure all trained classifiers, then write their cards."""
    arguments = command_line().read()
    cache = Path("runs") / "tiny-imagenet"
    validation = read_pictures(arguments.data, "val", cache)
    names = [recipe.name for recipe in RECIPES.values() if (WEIGHTS / recipe.name / "model.safetensors").exists()]
    models = {name: load_embedded_image(name) for name in names}
    results: dict[str, dict] = {
        name: {"enlarged": enlarged(model, *validation), "enlarged_in_half_precision": False}
        for name, model in models.items()
    }
    if not arguments.enlarged:
        speeds = images_per_second({name: model.network for name, model in models.items()})
        baseline_top1, baseline_top5 = accuracy(
            fit_logistic_regression(*read_pictures(arguments.data, "train", cache)), *validation
        )
        for name, model in models.items():
            run = json.loads((WEIGHTS / name / "results.json").read_text())
            results[name] |= measured(model.network, validation, run) | {"images_per_second": speeds[name]}
            results[name] |= {"logistic_regression": {"top1": baseline_top1, "top5": baseline_top5}}
            if (weights := Path("runs") / name / HALF_PRECISION).exists():
                results[name]["half_precision"] = validated(
                    load_weights(partial(copy.deepcopy, model.network), weights), validation
                )
    for name in names:
        file = WEIGHTS / name / "results.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | results[name], indent=1) + "\n")
    write_cards(WEIGHTS, names)


def measured(network: nn.Module, validation: Pictures, run: dict) -> dict:
    """Size, multiply-adds and accuracy of a network; `run` is the record of its training."""
    flops = sum(count_flops(network, lambda model: model(torch.zeros(1, 3, 64, 64))).values())
    return {
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "macs": flops // 2,
        "minutes": round(run["seconds"] / 60),
        "epochs": round(run["plan"]["steps"] * run["batch"] / run["pictures"], 1),
        "validation": validated(network, validation),
    }


def validated(network: nn.Module, validation: Pictures) -> dict[str, float]:
    """Top-1 and top-5 accuracy of a network on the validation pictures, and their number."""
    top1, top5 = accuracy(lambda pictures: network(normalise(pictures)), *validation)
    return {"top1": top1, "top5": top5, "pictures": len(validation[1])}


def enlarged(model: ImageModel, pictures: Tensor, labels: Tensor) -> dict[str, dict[str, float]]:
    """Accuracy on the same pictures, enlarged to each size that the pages offer, by pixels of a side.

    At n times the pixels every n-th picture is used, so that all sizes take equally long.
    """
    accuracies = {}
    for side in model.resolutions:
        if side > SIDE:
            chosen = slice(None, None, round((side / SIDE) ** 2))

            def classify(part: Tensor, side: int = side) -> Tensor:
                larger = F.interpolate(part, size=(side, side), mode="bicubic", antialias=True).clamp(0, 1)
                return torch.cat([model.network(batch) for batch in normalise(larger).split(LARGE_BATCH)])

            top1, top5 = accuracy(classify, pictures[chosen], labels[chosen])
            accuracies[str(side)] = {"top1": top1, "top5": top5, "pictures": len(labels[chosen])}
            print(model.name, side, accuracies[str(side)], flush=True)
    return accuracies


@torch.inference_mode()
def accuracy(classify: Callable[[Tensor], Tensor], pictures: Tensor, labels: Tensor) -> tuple[float, float]:
    """Top-1 and top-5 accuracy."""
    hits = []
    for start in range(0, len(labels), BATCH):
        logits = classify(pictures[start : start + BATCH].float() / 255)
        hits.append(logits.topk(5).indices == labels[start : start + BATCH, None])
    is_hit = torch.cat(hits)
    return is_hit[:, 0].float().mean().item(), is_hit.any(dim=1).float().mean().item()


@torch.inference_mode()
def images_per_second(networks: dict[str, nn.Module]) -> dict[str, float]:
    """Pictures of 64 x 64 that each network classifies in a second, in single precision on this machine.

    The networks are timed in turns, and the fastest of ROUNDS rounds counts.
    """
    pictures = torch.zeros(TIMED, 3, 64, 64)
    best = dict.fromkeys(networks, float("inf"))
    for _ in range(ROUNDS):
        for name, network in networks.items():
            started = time.perf_counter()
            network(pictures)
            best[name] = min(best[name], time.perf_counter() - started)
    return {name: TIMED / seconds for name, seconds in best.items()}


def fit_logistic_regression(pictures: Tensor, labels: Tensor, epochs: int = 10) -> Callable[[Tensor], Tensor]:
    """Multinomial logistic regression on the pixels of 32 x 32 copies, the simplest thing that could work."""
    torch.manual_seed(0)
    features = torch.cat([shrink(normalise(part.float() / 255)) for part in pictures.split(1000)])
    linear = nn.Linear(features.shape[1], int(labels.max()) + 1)
    optimiser = torch.optim.AdamW(linear.parameters(), lr=1e-4, weight_decay=1.0)
    for _ in range(epochs):
        for chosen in torch.randperm(len(labels)).split(256):
            F.cross_entropy(linear(features[chosen]), labels[chosen]).backward()
            optimiser.step()
            optimiser.zero_grad()
    return lambda batch: linear(shrink(normalise(batch)))


def shrink(pictures: Tensor) -> Tensor:
    """(picture, channel, 64, 64) to rows of 3,072 numbers."""
    return F.avg_pool2d(pictures, 2).flatten(start_dim=1)


def command_line() -> CommandLine:
    """The options of the command line."""
    helps = {"threads": "as many as in the training, which the cards name"}
    parser = CommandLine(__doc__, data=[TINY_IMAGENET], threads="one", helps=helps)
    parser.add_argument("--enlarged", action="store_true", help="measure accuracy at larger sizes alone")
    return parser


if __name__ == "__main__":
    main()
