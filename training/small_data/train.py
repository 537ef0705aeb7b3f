"""Train convolutional networks and vision transformers on little data: CIFAR-10, whole and in parts.

Each network learns from 5,000, 15,000 and all 50,000 pictures; what it reaches on the 10,000 test pictures is one row
of core/results/small_data.csv. Rows that are there are not made again, so a run that was stopped goes on.

    python -m training.small_data.train --data PATH [NETWORK ...]
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import timm
import torch
import torch.nn.functional as F
from timm.layers import set_fused_attn
from timm.models.vision_transformer import VisionTransformer
from torch import Tensor, nn

from core.models.tutorial_convolution import TutorialConvolution
from core.results import SMALL_DATA, small_data_runs
from training.common.card import add_row, hardware
from training.common.command_line import CommandLine
from training.common.data_sets import CIFAR10
from training.common.loop import Plan, train
from training.common.pictures import batch_at, decode, standardise

BATCH, SIDE = 128, 32
MEAN, DEVIATION = (0.491, 0.482, 0.447), (0.247, 0.243, 0.262)
SEED = 0
# Small parts are seen more often: what they lack is other pictures, not training.
EPOCHS = {5_000: 16, 15_000: 8, 50_000: 4}


@dataclass(frozen=True)
class Contestant:
    """A network and its plan of training, which differs only in the learning rate."""

    family: str
    make: Callable[[], nn.Module]
    plan: Plan


# Muon takes the matrices of a transformer's blocks; a convolutional network has none, and learns by AdamW alone.
# Learning rates were looked for with the convolution network, ViT 0.3M and ResNet18, two or three each, on 5,000
# pictures of the training set, measured on 5,000 others of it. Momentum, tried for convolutions, was 2 points behind.
TRANSFORMER = Plan(steps=0, learning_rate=3e-3, weight_decay=0.1, decay=0.8)
LARGER = replace(TRANSFORMER, learning_rate=1.5e-3)  # with the rate above ViT 1.3M reached the same on 5,000 pictures
SMALL = replace(TRANSFORMER, learning_rate=5e-3)
RESIDUAL = replace(TRANSFORMER, learning_rate=4e-3)


def vit(width: int, depth: int, heads: int) -> Callable[[], nn.Module]:
    """A vision transformer with 64 patches of 4 x 4 pixels; few wide heads are faster than many narrow ones."""
    return lambda: VisionTransformer(
        img_size=SIDE, patch_size=4, embed_dim=width, depth=depth, num_heads=heads, num_classes=10
    )


def residual(name: str) -> Callable[[], nn.Module]:
    """A residual network (He et al. 2015) with the stem for large pictures."""
    return lambda: timm.create_model(name, num_classes=10)


CONTESTANTS = {
    "Convolution network": Contestant("convolutional", TutorialConvolution, SMALL),
    "ViT 0.3M": Contestant("transformer", vit(96, 3, 2), TRANSFORMER),
    "ViT 1.3M": Contestant("transformer", vit(160, 4, 4), LARGER),
    "ResNet18": Contestant("convolutional", residual("resnet18"), RESIDUAL),
    "ViT 4.8M": Contestant("transformer", vit(256, 6, 4), LARGER),
    "ResNet50": Contestant("convolutional", residual("resnet50"), RESIDUAL),
}


def main() -> None:
    """Train and measure all networks without a row in the table."""
    arguments = command_line().read()
    # Written-out attention: at 65 tokens its bfloat16 backward pass is the faster one on a CPU.
    set_fused_attn(False)
    training, test = (read_pictures(arguments.data, split) for split in ("train", "test"))
    done = {(run.model, run.pictures) for run in small_data_runs()} if SMALL_DATA.exists() else set()
    for name in arguments.networks or CONTESTANTS:
        for pictures in EPOCHS:
            if (name, pictures) not in done:
                row = contest(name, pictures, training, test, arguments.run)
                print(row, flush=True)
                add_row(SMALL_DATA, row)


def contest(
    name: str, pictures: int, training: tuple[Tensor, Tensor], test: tuple[Tensor, Tensor], folder: Path
) -> dict[str, object]:
    """Train one network on the first `pictures` pictures; returns its row of the table."""
    contestant, (images, labels) = CONTESTANTS[name], (part[:pictures] for part in training)
    torch.manual_seed(SEED)
    network = contestant.make().to(memory_format=torch.channels_last)
    plan = replace(contestant.plan, steps=EPOCHS[pictures] * (pictures // BATCH), seed=SEED, log_every=100)

    def loss_at(step: int) -> Tensor:
        chosen = batch_at(step, pictures, BATCH, SEED)
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(prepare(shift(images[chosen])))
        return F.cross_entropy(logits.float(), labels[chosen], label_smoothing=0.1)

    seconds = train(network, loss_at, plan, folder / f"{name}-{pictures}".replace(" ", "-"))
    return {
        "model": name,
        "family": contestant.family,
        "params": sum(parameter.numel() for parameter in network.parameters()),
        "pictures": pictures,
        "epochs": EPOCHS[pictures],
        "learning_rate": plan.learning_rate,
        "accuracy_percent": round(100 * accuracy(network.eval(), *test), 2),
        "seconds": round(seconds),
        "hardware": hardware(),
        "source": "python -m training.small_data.train",
    }


@torch.inference_mode()
def accuracy(network: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Top-1 accuracy."""
    guesses = [network(prepare(part)).argmax(dim=-1) for part in images.split(500)]
    return (torch.cat(guesses) == labels).float().mean().item()


def shift(images: Tensor) -> Tensor:
    """Move each picture by up to 4 pixels over black, and mirror every second one (He et al. 2015, section 4.2)."""
    count = len(images)
    padded = F.pad(images, (4, 4, 4, 4))
    rows = torch.arange(SIDE) + torch.randint(9, (count, 1))
    columns = torch.arange(SIDE) + torch.randint(9, (count, 1))
    columns = torch.where(torch.rand(count, 1) < 0.5, columns, columns.flip(1))
    return padded[torch.arange(count)[:, None, None], :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)


def prepare(images: Tensor) -> Tensor:
    """Pictures of uint8 as inputs of the networks."""
    return standardise(images.float() / 255, MEAN, DEVIATION).contiguous(memory_format=torch.channels_last)


def read_pictures(data: Path, split: str) -> tuple[Tensor, Tensor]:
    """All pictures of a split, (picture, channel, row, column) uint8, and their class numbers."""
    with np.load(data / "cifar10_jpeg.npz") as archive:
        images = decode(archive[f"{split}_jpeg"], archive[f"{split}_offsets"], SIDE)
        return torch.from_numpy(images), torch.from_numpy(archive[f"{split}_labels"].astype(np.int64))


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[CIFAR10], run=Path("runs/small-data"), threads="all")
    parser.add_argument("networks", nargs="*", help=f"of {', '.join(CONTESTANTS)}; all if none is named")
    return parser


if __name__ == "__main__":
    main()
