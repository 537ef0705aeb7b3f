"""Train image-GPT (Chen et al. 2020) on CIFAR-10, once for each of its tasks: the next pixel, and hidden pixels.

`training.image_gpt.report` then measures what came out and writes its card.

    python -m training.image_gpt.train --data PATH [--only next]
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from sklearn.cluster import KMeans
from torch import Tensor

from core.models.image_gpt import ImageGPT, ImageGPTConfig
from core.models.stored_weights import load_weights, save_weights
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import CIFAR10
from training.common.loop import Plan, train
from training.common.pictures import batch_at, decode

TASKS = {"next": ImageGPTConfig(causal=True), "hidden": ImageGPTConfig(causal=False)}
HIDDEN = 0.15  # of the pixels, each by its own throw (section 2.2)
BATCH = 16
PLAN = Plan(steps=1200, learning_rate=2e-3, warm_up=60, decay=0.4, save_every=100)
PORTION = 8  # pictures that a report reads at once
PIXELS = 100_000  # of the training pictures, from which the colours are made


def main() -> None:
    """Train the tasks of `--only`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    images, _ = read_cifar(arguments.data, "train", arguments.run / "pictures")
    colours = palette_of(images, arguments.run / "palette.npy")
    for task in arguments.only or TASKS:
        torch.manual_seed(PLAN.seed)
        network, folder = ImageGPT(TASKS[task]).to(arguments.device), arguments.run / task
        network.palette.copy_(colours)
        next_weights = arguments.run / "next" / "model.safetensors"
        starts_from_next = task == "hidden" and next_weights.exists()
        if starts_from_next:
            # Colours, and which of them lie side by side, are the same for both: it begins with what the other learned.
            network.load_state_dict(load_weights(partial(ImageGPT, TASKS["next"]), next_weights).state_dict())
        plan = replace(PLAN, steps=arguments.steps or PLAN.steps)
        seconds = train(network, losses(network, task, images, arguments), plan, folder)
        save_weights(network, folder / "model.safetensors")
        record = {"plan": asdict(plan), "batch": arguments.batch, "sizes": asdict(TASKS[task]), "pictures": len(images)}
        record |= {
            "began_with_next": starts_from_next,
            "seconds": round(seconds),
            "seed": plan.seed,
            "hardware": hardware(arguments.device),
        }
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n")


def losses(network: ImageGPT, task: str, images: Tensor, arguments: argparse.Namespace) -> Callable[[int], Tensor]:
    """The loss of each step: cross-entropy of every next pixel, or of the hidden ones."""

    def loss_at(step: int) -> Tensor:
        chosen = images[batch_at(step, len(images), arguments.batch, PLAN.seed)].to(arguments.device)
        mirrored = torch.rand(len(chosen), device=arguments.device) < 0.5
        chosen = torch.where(mirrored[:, None, None, None], chosen.flip(3), chosen)
        colours = network.read(chosen.float() / 255)
        hidden = torch.rand(colours.shape, device=arguments.device) < HIDDEN
        with torch.autocast(arguments.device, torch.bfloat16):
            if task == "next":
                logits = network(network.after_start(colours)).flatten(0, 1)
                return F.cross_entropy(logits.float(), colours.flatten())
            logits = network(colours.masked_fill(hidden, network.config.blank))[hidden]
        return F.cross_entropy(logits.float(), colours[hidden])

    return loss_at


def read_cifar(data: Path, split: str, cache: Path) -> tuple[Tensor, Tensor]:
    """All pictures of a split, (picture, channel, row, column) uint8, and their class numbers."""
    with np.load(data / "cifar10_jpeg.npz") as archive:
        labels = torch.from_numpy(archive[f"{split}_labels"].astype(np.int64))
        decoded = cache / f"{split}.npy"
        if not decoded.exists():
            cache.mkdir(parents=True, exist_ok=True)
            np.save(decoded, decode(archive[f"{split}_jpeg"], archive[f"{split}_offsets"], side=32))
    return torch.from_numpy(np.load(decoded)), labels


def portions(
    images: Int[Tensor, "_ channel row column"], count: int = PORTION
) -> Iterator[Float[Tensor, "_ channel row column"]]:
    """Batches of pictures, values 0 to 1."""
    return (part.float() / 255 for part in images.split(count))


def palette_of(images: Int[Tensor, "picture channel row column"], file: Path) -> Float[Tensor, "colour channel"]:
    """The centres of 512 clusters of colours (k-means), values 0 to 1, the darkest first; cached in `file`."""
    if not file.exists():
        rng = np.random.default_rng(PLAN.seed)
        pixels = images.permute(0, 2, 3, 1).reshape(-1, 3).numpy()
        sample = pixels[rng.choice(len(pixels), PIXELS, replace=False)] / 255
        clusters = KMeans(TASKS["next"].colours, n_init=1, max_iter=60, random_state=PLAN.seed).fit(sample)
        centres = clusters.cluster_centers_
        np.save(file, centres[centres.sum(axis=1).argsort()])
    return torch.from_numpy(np.load(file)).float()


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__, data=[CIFAR10], run=Path("runs/image-gpt"), only=TASKS, steps="plan", device=True, threads="all"
    )
    parser.add_argument("--batch", type=int, default=BATCH)
    return parser


if __name__ == "__main__":
    main()
