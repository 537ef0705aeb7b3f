"""Measure the hybrid vision transformer as it is stored, beside EfficientNet, which taught it; write its card.

How often both give the same answer on photographs that neither learned from here; how often the answer is right on
pictures of Tiny ImageNet; and whether the maps look at the thing: of four pictures in a square, how much of a map falls
on the quarter that shows the class in question (the grid pointing game of Böhle, Fritz and Schiele 2021, "Convolutional
Dynamic Alignment Networks for Interpretable Classifications", section 4.2).

    python -m training.hybrid_vit.report --data PATH
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from core.attribution.image_methods import explain
from core.attribution.pointing_game import over_pixels, share_inside
from core.images import EXAMPLES, open_example
from core.results.result_files import error_of
from core.zoo.embedded import BODY, load_embedded_image
from core.zoo.image_models import ImageModel
from training.captioning.data import SIDE, read_flickr
from training.common.card import save_results, table, write_card
from training.common.command_line import CommandLine
from training.common.data_sets import FLICKR8K, TINY_IMAGENET
from training.common.pictures import standardise
from training.efficientnet_lite0.report import PICTURES, accuracy, labelled_pictures
from training.hybrid_vit.train import OUT

TOGETHER = 50  # pictures that go through a network at once
MOSAICS = 200  # of four pictures each
QUARTER = SIDE // 2

CARD = """# hybrid-vit

A hybrid vision transformer (Dosovitskiy et al. 2020, section 3.1): a token is one place of the last feature map of
EfficientNet-Lite0 (weights/efficientnet-lite0), 14 x 14 for a picture of 224 pixels, and a transformer of 4 layers, 5
heads and 320 channels looks over these places with a class token. From that token a hidden layer tells what
EfficientNet has before its classifier, and EfficientNet's own classifier names one of ImageNet's 1,000 classes.

## Data and licence
The stages and the classifier are those of efficientnet-lite0 (Apache-2.0) and were not trained on. The transformer
learned from EfficientNet's answers, without labels, on {pictures} pictures: the training photographs of Flickr8k, which
is for non-commercial research and education, their mirror images and a random part of each, and pictures of Tiny
ImageNet, which is derived from ImageNet (non-commercial research and education).

## Held-out results
How often the first answer is the one of EfficientNet, and how often that is among the first five; beside it, how often
one gets by always giving EfficientNet's commonest answer:

{agreement}

How often the first answer, or one of the first five, is right on the first {validation[pictures]} validation pictures
of Tiny ImageNet, 64 pixels a side scaled up to 224, of 1,000 names:

{accuracy}

Grid pointing game: {mosaics} squares of four validation pictures of different classes, each of which both networks name
among their first five when it is alone. Mean share of the map that falls on the quarter of the class in question; by
chance a quarter, 25 %. That quarter is always the upper left one:

{pointing}

EfficientNet learned from ImageNet, of which Tiny ImageNet is a part: it may have seen some of these pictures at full
size. Flickr8k it has not.

Our example photographs, which are scikit-image's:

{examples}

## How it was made
    python -m training.hybrid_vit.train --data PATH
    python -m training.hybrid_vit.report --data PATH

Stored in 8 bits, {size:.1f} MB. {plan[steps]} steps of {batch} pictures, each with a random quarter of its places, in
{minutes} minutes; seed {seed}. {hardware}; torch {torch}.
"""


def main() -> None:
    """Measure, write results.json and the card."""
    arguments = command_line().read()
    hybrid, teacher = load_embedded_image("hybrid-vit"), load_embedded_image(BODY)
    results = json.loads((arguments.out / "results.json").read_text())
    pictures, targets = labelled_pictures(arguments.data)
    photographs = torch.from_numpy(np.array(read_flickr(arguments.data, "test", arguments.run, side=SIDE).pictures))
    results["agreement"] = {
        "Flickr8k, test": agreement(hybrid, teacher, photographs),
        "Tiny ImageNet, validation": agreement(hybrid, teacher, enlarged(pictures, SIDE)),
    }
    print(results["agreement"], flush=True)
    results["accuracy"] = {model.name: accuracy(model.network, pictures, targets) for model in (hybrid, teacher)}
    print(results["accuracy"], flush=True)
    own = results["accuracy"][hybrid.name]
    results["validation"] = {"top1": own["top-1"], "top5": own["top-5"], "pictures": len(targets)}
    results["side"] = SIDE
    results["pointing"] = pointing(hybrid, teacher, pictures, targets)
    results["mosaics"] = MOSAICS
    print(results["pointing"], flush=True)
    results["examples"] = {name: answers(name, hybrid, teacher) for name in EXAMPLES}
    results["parameters"] = hybrid.parameters
    results["size"] = (arguments.out / "model.safetensors").stat().st_size / 1e6
    results["minutes"] = round(results["seconds"] / 60)
    save_results(arguments.out, results)
    write_card(arguments.out, CARD, tables_of(results))


def enlarged(pictures: Tensor, side: int) -> Tensor:
    """Pictures (uint8) scaled to `side` pixels a side."""
    parts = (F.interpolate(part.float(), (side, side), mode="bicubic", antialias=True) for part in pictures.split(100))
    return torch.cat([part.clamp(0, 255).round().byte() for part in parts])


@torch.inference_mode()
def scores(model: ImageModel, pictures: Tensor) -> Tensor:
    """The logits of all classes for pictures (uint8) of the model's size."""
    network, framing = model.network, model.framing
    parts = (standardise(part.float() / 255, framing.mean, framing.std) for part in pictures.split(TOGETHER))
    return torch.cat([network(part) for part in parts])


def agreement(student: ImageModel, teacher: ImageModel, pictures: Tensor) -> dict[str, float]:
    """How often the student's first answer is the teacher's, its first five hold it, and the commonest answer is it."""
    truth, five = scores(teacher, pictures).argmax(dim=1), scores(student, pictures).topk(5).indices
    (_, commonest) = Counter(truth.tolist()).most_common(1)[0]
    hits = five == truth[:, None]
    return {
        "first": hits[:, 0].float().mean().item(),
        "among five": hits.any(dim=1).float().mean().item(),
        "commonest answer": commonest / len(truth),
        "pictures": len(truth),
    }


def pointing(student: ImageModel, teacher: ImageModel, pictures: Tensor, targets: Tensor) -> dict[str, dict]:
    """The mean share of each map of the student on the quarter of the class in question, with its standard error."""
    large = enlarged(pictures, SIDE)
    known = [model_knows(model, large, targets) for model in (student, teacher)]
    usable = torch.nonzero(known[0] & known[1]).flatten()
    patches = student.prepare(open_example("cat")).patches
    rng = torch.Generator().manual_seed(0)
    shares: dict[str, list[float]] = {}
    for _ in range(MOSAICS):
        chosen: list[int] = []
        for number in usable[torch.randperm(len(usable), generator=rng)].tolist():
            if targets[number] not in targets[chosen]:
                chosen.append(number)
            if len(chosen) == 4:
                break
        mosaic = torch.cat(
            [torch.cat(list(row), dim=-1) for row in enlarged(pictures[chosen], QUARTER).split(2)], dim=-2
        )
        pixels = standardise(mosaic[None].float() / 255, student.framing.mean, student.framing.std)
        explanations = explain(student, pixels, patches, targets[chosen[:1]])
        mask = np.zeros((SIDE, SIDE), dtype=bool)
        mask[:QUARTER, :QUARTER] = True
        for name, maps in explanations.maps.items():
            shares.setdefault(name, []).append(share_inside(over_pixels(maps[0].numpy(), SIDE), mask))
    return {
        name: {"share": float(np.nanmean(values)), "error": float(np.nanstd(values) / len(values) ** 0.5)}
        for name, values in shares.items()
    }


def model_knows(model: ImageModel, pictures: Tensor, targets: Tensor) -> Tensor:
    """Whether the right class is among the first five answers, for each picture."""
    return (scores(model, pictures).topk(5).indices == targets[:, None]).any(dim=1)


def answers(name: str, *models: ImageModel) -> list[str]:
    """The first answer of each model to an example photograph, with its probability."""
    predictions = []
    for model in models:
        with torch.inference_mode():
            probabilities = model.network(model.prepare(open_example(name)).pixels)[0].softmax(dim=-1)
        best = int(probabilities.argmax())
        predictions.append(f"{model.classes[best].split(',')[0]} ({probabilities[best]:.0%})")
    return predictions


def tables_of(results: dict) -> dict[str, str]:
    """The tables of the card."""
    agreed = [
        [name, shares["pictures"], *(f"{shares[key]:.1%}" for key in ("first", "among five", "commonest answer"))]
        for name, shares in results["agreement"].items()
    ]
    right = [
        [name, f"{shares['top-1']:.1%}", f"{shares['top-5']:.1%}", f"{error_of(shares['top-1'], PICTURES):.1%}"]
        for name, shares in results["accuracy"].items()
    ]
    pointing = [[name, f"{mean['share']:.1%}", f"{mean['error']:.1%}"] for name, mean in results["pointing"].items()]
    return {
        "agreement": table(["", "pictures", "the same first answer", "among five", "commonest answer"], agreed),
        "accuracy": table(["", "top-1", "top-5", "standard error of top-1"], right),
        "pointing": table(["map", "share", "standard error"], pointing),
        "examples": table(
            ["", "hybrid", "EfficientNet"], [[name, *predictions] for name, predictions in results["examples"].items()]
        ),
    }


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[FLICKR8K, TINY_IMAGENET.below("tiny_imagenet")],
        run=Path("runs/hybrid-vit"),
        out=OUT,
        threads="all",
    )


if __name__ == "__main__":
    main()
