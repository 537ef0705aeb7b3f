"""Train `characters`: five models that read characters, alike in size, one of each kind that came before attention.

The copy task needs no data: see core/reach/copy_task.py.

    python -m training.characters.train --data PATH
"""

from pathlib import Path

import torch
import torch.nn.functional as F

from core.models.character import CharacterModel
from core.reach import copy_task
from training.characters.report import report
from training.common import shakespeare
from training.common.command_line import CommandLine
from training.common.data_sets import SHAKESPEARE
from training.common.loop import Plan, train

CONTEXT, BATCH = 128, 64

# About 640,000 parameters each, the body of the text models.
TEXT_SIZES: dict[str, dict] = {
    "rnn": {"width": 384, "layers": 2},
    "lstm": {"width": 192, "layers": 2},
    "gru": {"width": 224, "layers": 2},
    "convolution": {"width": 144, "layers": 6, "kernel": 5},
    "self_attention": {"width": 128, "layers": 3, "heads": 4, "context": CONTEXT, "positions": "rotary"},
}
# About 100,000 each for the copy task, which is easier than Shakespeare.
COPY_SIZES: dict[str, dict] = {
    "rnn": {"width": 152, "layers": 2},
    "lstm": {"width": 76, "layers": 2},
    "gru": {"width": 88, "layers": 2},
    "convolution": {"width": 56, "layers": 6, "kernel": 5},
    "self_attention": {"width": 60, "layers": 2, "heads": 4, "context": 128},
}
COPIES = 128  # questions in a batch


def main() -> None:
    """Train the ten models, measure them, write the weights."""
    arguments = command_line().read()
    alphabet, learnt, held_out = shakespeare.read(arguments.data)
    windows = shakespeare.Windows(alphabet.encode(learnt), CONTEXT, BATCH, arguments.seed)
    text_plan = Plan(
        steps=int(arguments.epochs * windows.per_epoch), learning_rate=2e-3, decay=0.5, seed=arguments.seed
    )
    copy_plan = Plan(steps=arguments.copy_steps, learning_rate=2e-3, decay=0.5, seed=arguments.seed)
    text, copies, seconds = {}, {}, 0.0
    for kind in arguments.only or TEXT_SIZES:
        text[kind] = make(kind, TEXT_SIZES[kind], len(alphabet), arguments.seed)
        seconds += train_text(text[kind], windows, text_plan, arguments.run / kind)
    for kind in arguments.only or COPY_SIZES:
        copies[kind] = make(kind, COPY_SIZES[kind], len(copy_task.ALPHABET), arguments.seed)
        seconds += train_copy(copies[kind], copy_plan, arguments.run / f"copy_{kind}")
    if arguments.only is None:
        record = {"seed": arguments.seed, "epochs": arguments.epochs, "minutes": round(seconds / 60)}
        record |= {"steps": text_plan.steps, "copy_steps": copy_plan.steps, "steps_per_epoch": windows.per_epoch}
        record |= {"batch": BATCH, "context": CONTEXT}
        encoded = {"learnt": alphabet.encode(learnt), "held_out": alphabet.encode(held_out)}
        report(alphabet, text, copies, **encoded, record=record)


def make(kind: str, sizes: dict, vocabulary: int, seed: int) -> CharacterModel:
    """A model with seeded random weights; `kind` is one of TEXT_SIZES."""
    torch.manual_seed(seed)
    model = CharacterModel(kind, sizes, vocabulary)
    print(f"{kind}: {sum(parameter.numel() for parameter in model.parameters()):,} parameters", flush=True)
    return model


def train_text(model: CharacterModel, windows: shakespeare.Windows, plan: Plan, folder: Path) -> float:
    """Train on the next character; returns the seconds that it took."""

    def loss_at(step: int) -> torch.Tensor:
        read, following = windows.batch(step)
        return F.cross_entropy(model(read).flatten(0, 1), following.flatten())

    return train(model, loss_at, plan, folder)


def train_copy(model: CharacterModel, plan: Plan, folder: Path) -> float:
    """Train on the copy task, at distances drawn log-uniformly; returns the seconds that it took."""

    def loss_at(step: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(plan.seed * 1_000_003 + step)
        share = torch.rand((), generator=generator).item()
        distance = round(copy_task.SHORTEST * (copy_task.LONGEST / copy_task.SHORTEST) ** share)
        sequences, digits = copy_task.pose_many(COPIES, distance, generator)
        return F.cross_entropy(model(sequences)[:, -copy_task.REMEMBERED :].flatten(0, 1), digits.flatten())

    return train(model, loss_at, plan, folder)


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[SHAKESPEARE],
        run=Path("runs/characters"),
        seed=True,
        threads="all",
        only=TEXT_SIZES,
        helps={"only": "train these, write nothing yet"},
    )
    parser.add_argument("--epochs", type=float, default=8)
    parser.add_argument("--copy-steps", type=int, default=2000)
    return parser


if __name__ == "__main__":
    main()
