"""Train an image classifier on a hundred classes of Tiny ImageNet: two transformers, two networks without attention.

`training.tiny_imagenet.report` then measures what came out and writes its card. The vision transformer is trained
twice, the second time from the weights of the first and from the residual network, which has to be trained before;
`--run`, `--steps`, `--start` and `--teacher` ask for a single training instead.

    python -m training.tiny_imagenet.train swin --data PATH
    python -m training.tiny_imagenet.train vit --data PATH --start FILE --teacher resnet
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from timm.layers import set_fused_attn
from torch import Tensor

from core.models.image_classifiers import make_image_classifier
from core.models.stored_weights import load_weights, save_weights
from core.zoo.embedded import WEIGHTS, save_image
from training.common.card import save_results
from training.common.command_line import CommandLine
from training.common.data_sets import TINY_IMAGENET
from training.common.loop import Plan, train
from training.common.pictures import batch_at, vary
from training.tiny_imagenet.data import DEVIATION, MEAN, normalise, read_classes, read_pictures

BATCH = 192
FIRST_STEPS = 3600  # of the vision transformer's first training
HALF_PRECISION = "half_precision.safetensors"  # in the run: what the weights were before they were stored in 8 bits


@dataclass(frozen=True)
class Recipe:
    """A network and the settings of its training; the pictures and their order are the same for all networks."""

    architecture: str
    sizes: dict[str, Any]
    plan: Plan
    # Half of a transformer's patches are left out of most of its training (PatchDropout, Liu et al. 2022), and a
    # convolutional network sees smaller crops (Touvron et al. 2019, "Fixing the train-test resolution discrepancy").
    patch_drop: float = 0.0
    small: int = 64  # pixels of the pictures of that first part
    cheap: float = 0.0  # how much of the training is that first part
    name: str = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "name", f"{self.architecture}-tiny-imagenet")


CONVOLUTIONS = Plan(steps=2600, learning_rate=0.15, weight_decay=5e-4, decay=0.6, gradient_norm=5.0, optimiser="sgd")
TRANSFORMERS = Plan(steps=2600, learning_rate=2e-3, decay=0.28)
RECIPES = {
    "vit": Recipe(
        "vit",
        {"img_size": 64, "patch_size": 8, "embed_dim": 256, "depth": 6, "num_heads": 4, "num_classes": 100},
        replace(TRANSFORMERS, steps=1200),
        patch_drop=0.5,
        cheap=0.9,
    ),
    "swin": Recipe(
        "swin",
        {
            "img_size": 64,
            "patch_size": 4,
            "window_size": 4,
            "embed_dim": 80,
            "depths": (2, 6, 2),
            "num_heads": (2, 4, 8),
            "num_classes": 100,
            "drop_path_rate": 0.0,
        },
        TRANSFORMERS,
    ),
    "resnet": Recipe(
        "resnet",
        {"layers": (2, 2, 2, 2), "channels": (48, 96, 192, 320), "stem_width": 48, "num_classes": 100},
        CONVOLUTIONS,
        small=48,
        cheap=0.7,
    ),
    "plain": Recipe(
        "plain",
        {"widths": (48, 96, 192, 320), "depth": 4, "num_classes": 100},
        CONVOLUTIONS,
        small=48,
        cheap=0.7,
    ),
}


@dataclass(frozen=True)
class Training:
    """One training of a network: steps, folder of checkpoints, initial weights (`start`) and teacher."""

    steps: int
    run: Path
    start: Path | None = None
    teacher: str | None = None


def main() -> None:
    """Train, and write the weights after each training."""
    arguments = command_line().read()
    recipe = RECIPES[arguments.model]
    for training in trainings(recipe, arguments):
        learn(recipe, training, arguments.data)


def trainings(recipe: Recipe, arguments: argparse.Namespace) -> list[Training]:
    """The trainings in order: two of the vision transformer, unless an option asks for one; one of other networks."""
    run, steps = Path("runs") / recipe.name, recipe.plan.steps
    if recipe.architecture == "vit" and not (arguments.run or arguments.steps or arguments.start or arguments.teacher):
        weights = WEIGHTS / recipe.name / "model.safetensors"
        return [Training(FIRST_STEPS, Path("runs") / "vit-first"), Training(steps, run, weights, "resnet")]
    return [Training(arguments.steps or steps, arguments.run or run, arguments.start, arguments.teacher)]


def learn(recipe: Recipe, training: Training, data: Path) -> None:
    """Run a training; write the weights and its record."""
    images, labels = read_pictures(data, "train", training.run.parent / "tiny-imagenet")
    torch.manual_seed(recipe.plan.seed)
    # Written-out attention: the fused kernel's bfloat16 backward pass is slow on a CPU.
    set_fused_attn(False)
    network = make_image_classifier(recipe.architecture, trainable(recipe)).to(memory_format=torch.channels_last)
    if training.start:
        network.load_state_dict(load_weights(lambda: network, training.start).state_dict())
        network.requires_grad_(True)
    teacher = load_teacher(training.teacher) if training.teacher else None
    print(f"{len(images):,} pictures, {sum(p.numel() for p in network.parameters()):,} parameters", flush=True)
    plan = replace(recipe.plan, steps=training.steps)

    patch_drop: Any = getattr(network, "patch_drop", None)

    def loss_at(step: int) -> Tensor:
        cheap = step < recipe.cheap * plan.steps
        if patch_drop is not None:
            patch_drop.prob = recipe.patch_drop if cheap else 0.0
        numbers = batch_at(step, len(images), BATCH, plan.seed)
        pictures = normalise(vary(images[numbers].float() / 255, recipe.small if cheap else 64))
        pictures = pictures.contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(pictures)
        hard = F.cross_entropy(logits.float(), labels[numbers], label_smoothing=0.1)
        return hard if teacher is None else (hard + distance(logits.float(), teacher(pictures))) / 2

    earlier = first_run(training.start)
    seconds = train(network, loss_at, plan, training.run)
    network.eval()
    save_weights(network, Path("runs") / recipe.name / HALF_PRECISION)
    save_image(
        network,
        WEIGHTS / recipe.name,
        architecture=recipe.architecture,
        sizes=recipe.sizes,
        mean=MEAN,
        deviation=DEVIATION,
        classes=read_classes(data),
        eight_bits=True,
    )
    run = {"plan": asdict(plan), "batch": BATCH, "pictures": len(images), "seconds": seconds}
    save_results(WEIGHTS / recipe.name, run | {"teacher": training.teacher, "first_run": earlier})


def first_run(start: Path | None) -> dict[str, Any] | None:
    """The record of the training that made the weights `start`, from the results.json beside them."""
    if start is None:
        return None
    results = json.loads((start.parent / "results.json").read_text())
    return {key: results[key] for key in ("plan", "seconds", "teacher", "validation", "hardware") if key in results}


def trainable(recipe: Recipe) -> dict[str, Any]:
    """The sizes of the network during training, with patch dropout."""
    return recipe.sizes | ({"patch_drop_rate": recipe.patch_drop} if recipe.patch_drop else {})


def load_teacher(model: str) -> Callable[[Tensor], Tensor]:
    """A trained network of RECIPES as a function from pictures to log probabilities, without gradients."""
    recipe = RECIPES[model]
    file = WEIGHTS / recipe.name / "model.safetensors"
    network = load_weights(lambda: make_image_classifier(recipe.architecture, recipe.sizes), file)
    network = network.to(memory_format=torch.channels_last)

    @torch.no_grad()
    def predict(pictures: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return network(pictures).float().log_softmax(dim=-1)

    return predict


def distance(logits: Tensor, teacher_log_probabilities: Tensor) -> Tensor:
    """KL divergence of the student's predictions from the teacher's (Hinton et al. 2015; Beyer et al. 2021)."""
    return F.kl_div(logits.log_softmax(dim=-1), teacher_log_probabilities, log_target=True, reduction="batchmean")


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[TINY_IMAGENET], steps="plan", threads="all")
    parser.add_argument("model", choices=RECIPES)
    parser.add_argument("--start", type=Path, help="a model.safetensors to go on from, with results.json")
    parser.add_argument("--teacher", choices=RECIPES, help="a finished network to learn from as well")
    parser.add_argument("--run", type=Path, help="checkpoints; resumed if present")
    return parser


if __name__ == "__main__":
    main()
