"""Measure `vit-tiny-imagenet` beside logistic regression, and write its weights and card."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.zoo.embedded import WEIGHTS, save_image
from training.card import save_card, table

BATCH = 250

Pictures = tuple[Tensor, Tensor]  # (picture, channel, row, column) uint8, and class numbers


def report(network: nn.Module, config: dict, normalise, train: Pictures, validation: Pictures, run: dict) -> None:
    """Write weights/vit-tiny-imagenet/.

    `config` are the keyword arguments of `save_image`, `train` and `validation` are (pictures uint8, labels),
    `normalise` turns pictures of values 0 to 1 into inputs, `run` is what the training run said of itself.
    """
    folder = WEIGHTS / "vit-tiny-imagenet"
    network.eval()
    save_image(network, folder, **config)
    top1, top5 = accuracy(lambda pictures: network(normalise(pictures)), *validation)
    base1, base5 = accuracy(fit_logistic_regression(*train, normalise), *validation)
    results = run | {
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "minutes": round(run["seconds"] / 60),
        "epochs": round(run["plan"]["steps"] * run["batch"] / run["pictures"], 1),
        "validation": {"top1": top1, "top5": top5, "pictures": len(validation[1])},
        "logistic_regression": {"top1": base1, "top5": base5},
    }
    rows = [
        ["vit-tiny-imagenet", f"{top1:.1%}", f"{top5:.1%}"],
        ["logistic regression on pixels", f"{base1:.1%}", f"{base5:.1%}"],
        ["chance", "1.0%", "5.0%"],
    ]
    accuracy_table = table(["5,000 validation pictures", "top-1", "top-5"], rows)
    save_card(folder, CARD, results, {"accuracy_table": accuracy_table})


@torch.inference_mode()
def accuracy(classify, pictures: Tensor, labels: Tensor) -> tuple[float, float]:
    """Share of the pictures whose class is the first guess, and among the first five."""
    hits = []
    for start in range(0, len(labels), BATCH):
        logits = classify(pictures[start : start + BATCH].float() / 255)
        hits.append(logits.topk(5).indices == labels[start : start + BATCH, None])
    found = torch.cat(hits)
    return found[:, 0].float().mean().item(), found.any(dim=1).float().mean().item()


def fit_logistic_regression(pictures: Tensor, labels: Tensor, normalise, epochs: int = 10):
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


CARD = """# vit-tiny-imagenet

A small vision transformer (timm's `VisionTransformer`, Dosovitskiy et al. 2020): {parameters:,} parameters, 6 layers of
4 heads, width 256, patches of 8 x 8 pixels on 64 x 64, a class token and learned positions, which are resized for
larger pictures. It tells a hundred kinds of things apart, from goldfish to seashore, and nothing else.

## Data and licence
Tiny ImageNet (Stanford CS231n), every second of its 200 classes, 500 training pictures each. Derived from ImageNet:
non-commercial research and education; the same holds for these weights.

## Held-out results
{accuracy_table}

The logistic regression sees the same pictures at 32 x 32 pixels. Nothing was chosen by these numbers.

## How it was made
`make train-vit-tiny-imagenet DATA=...` (`python -m training.vit_tiny_imagenet`), seed {plan[seed]}: {plan[steps]:,}
steps of {batch} pictures ({epochs} epochs), Muon and AdamW, learning rate {plan[learning_rate]}, label smoothing 0.1,
random crops, mirroring and light; half of the patches left out for the first 90 % of the steps (PatchDropout, Liu et
al. 2022); bfloat16 autocast. {minutes} minutes on {hardware}, shared with other work. torch {torch}.
"""
