"""Fine-tune the masked autoencoder's encoder on a tenth or all of the labels, beside the same network from scratch.

Both get the same number of steps, the same pictures in the same order and the same settings; `training.mae.report`
takes up what comes out. On one core at 60 pictures a second a tenth takes 6 minutes, all of them 9; more `--steps`
are better.

    python -m training.mae.fine_tuning --data PATH --labels 10 --start autoencoder
    python -m training.mae.fine_tuning --data PATH --labels 10 --start scratch
"""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.mae import MAEConfig, MaskedAutoencoder
from core.results.mae_results import AUTOENCODER, LABELS, STARTS
from core.zoo.embedded import WEIGHTS
from core.zoo.masked_autoencoders import load_autoencoder
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import TINY_IMAGENET
from training.common.loop import Plan, train
from training.common.pictures import batch_at, vary
from training.mae.train import CONFIG
from training.tiny_imagenet.data import normalise, read_pictures
from training.tiny_imagenet.report import accuracy

BATCH = 128
STEPS = {10: 180, 100: 260}  # by per cent of the labels
PLAN = Plan(steps=STEPS[100], learning_rate=1e-3, weight_decay=0.05, warm_up=50, decay=0.5)
RUNS = Path("runs/mae-fine-tuning")


class Classifier(nn.Module):
    """A linear layer on the mean of an encoder's patches (He et al. 2022, section 4.3 and appendix A.1)."""

    def __init__(self, config: MAEConfig, classes: int):
        super().__init__()
        self.encoder = MaskedAutoencoder(config).encoder  # so it begins as the autoencoder began
        self.head = nn.Linear(config.width, classes)
        nn.init.trunc_normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch class"]:
        """The logits of the classes."""
        return self.head(self.encoder(pixels)[:, 1:].mean(dim=1))


def main() -> None:
    """Train, measure, and write the results to the folder of runs."""
    arguments = command_line().read()
    cache = arguments.run.parent / "tiny-imagenet"
    images, labels = read_pictures(arguments.data, "train", cache)
    chosen = sample_per_class(labels, arguments.labels / 100)
    torch.manual_seed(PLAN.seed)
    network = initial_classifier(arguments.start, int(labels.max()) + 1, arguments.weights)
    network.to(arguments.device)
    plan = replace(PLAN, steps=arguments.steps or STEPS[arguments.labels])

    def loss_at(step: int) -> Tensor:
        batch_numbers = chosen[batch_at(step, len(chosen), min(BATCH, len(chosen)), plan.seed)]
        pictures = normalise(vary(images[batch_numbers].to(arguments.device).float() / 255, CONFIG.side))
        # Written-out attention: the fused kernel's bfloat16 backward pass is slow on a CPU.
        with torch.autocast(arguments.device, torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
            logits = network(pictures)
        return F.cross_entropy(logits.float(), labels[batch_numbers].to(arguments.device), label_smoothing=0.1)

    name = f"{arguments.labels}-{arguments.start}"
    seconds = train(network, loss_at, plan, arguments.run / name)
    network.eval().cpu()
    pictures, truth = read_pictures(arguments.data, "val", cache)
    top1, top5 = accuracy(lambda batch: network(normalise(batch)), pictures, truth)
    results: dict[str, Any] = {"top1": top1, "top5": top5, "steps": plan.steps, "seconds": round(seconds, 1)}
    results |= {"plan": asdict(plan), "batch": BATCH, "pictures": len(chosen), "hardware": hardware(arguments.device)}
    (arguments.run / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1), flush=True)


def sample_per_class(labels: Int[Tensor, " _"], share: float) -> Int[Tensor, " _"]:
    """The numbers of a random share of the pictures of each class (at least one), always the same ones."""
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
    by_class = [order[labels[order] == label] for label in labels.unique()]
    return torch.cat([class_numbers[: max(1, round(share * len(class_numbers)))] for class_numbers in by_class])


def initial_classifier(start: str, classes: int, weights: Path) -> Classifier:
    """An untrained classifier; if `start` is AUTOENCODER, with the encoder of the masked autoencoder."""
    network = Classifier(CONFIG, classes)
    if start == AUTOENCODER:
        pretrained = load_autoencoder("mae", weights=weights).network
        network.encoder.load_state_dict(pretrained.encoder.state_dict())
    return network


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[TINY_IMAGENET],
        run=RUNS,
        steps="plan",
        device=True,
        threads="all",
        helps={"run": "checkpoints, resumed if present, and results"},
    )
    parser.add_argument("--labels", type=int, choices=LABELS, required=True, help="per cent of the labels")
    parser.add_argument("--start", choices=STARTS, required=True)
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the folder that holds mae/model.safetensors")
    return parser


if __name__ == "__main__":
    main()
