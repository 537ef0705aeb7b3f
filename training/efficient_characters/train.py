"""Train a character model with each kind of efficient attention: the same size, data and number of steps for all.

Two tasks: to predict the next character, and to fill in characters that are hidden in the midst of a text. Clustered
and low-rank attention have only the second one: with the first, later characters would have a say in what is expected
before them.

What each reaches on held-out text is one row of core/results/efficient_characters.csv. Rows that are there are not
made again, so a run that was stopped goes on.

    python -m training.efficient_characters.train --data PATH [--task hidden] [--variant "Sliding window"]
"""

import argparse
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from core.models.character import Alphabet, CharacterModel
from core.results import EFFICIENT_CHARACTERS, HIDDEN, NEXT, efficient_characters
from training.common import shakespeare
from training.common.card import add_row, hardware
from training.common.command_line import CommandLine
from training.common.data_sets import SHAKESPEARE
from training.common.loop import Plan, train
from training.efficient_characters.contestants import CONTEXT, SEED, build, contestants

BATCH = 32
TASKS = (HIDDEN, NEXT)


def main() -> None:
    """Train and measure all models without a row in the table."""
    arguments = command_line().read()
    alphabet, learnt, held_out = shakespeare.read(arguments.data)
    windows = shakespeare.Windows(alphabet.encode(learnt), CONTEXT, BATCH, SEED)
    for task in arguments.task or TASKS:
        by_name = contestants(causal=task == NEXT)
        for name in arguments.variant or by_name:
            if name in by_name and not is_done(task, name):
                make_row(task, name, alphabet, windows, held_out, arguments)


def is_done(task: str, name: str) -> bool:
    """Whether the table has a row of this model, which another process may have written."""
    done = efficient_characters() if EFFICIENT_CHARACTERS.exists() else ()
    return (task, name) in {(run.task, run.variant) for run in done}


def make_row(
    task: str,
    name: str,
    alphabet: Alphabet,
    windows: shakespeare.Windows,
    held_out: str,
    arguments: argparse.Namespace,
) -> None:
    """Train one model, measure it and write its row."""
    contestant = contestants(causal=task == NEXT)[name]
    model = build(contestant, len(alphabet))
    plan = Plan(steps=arguments.steps, learning_rate=3e-3, decay=0.5, seed=SEED)
    folder = arguments.run / f"{task}-{name}".replace(" ", "-")
    seconds = train(model, lambda step: loss(task, model, windows, step), plan, folder)
    row = {
        "task": task,
        "variant": name,
        "settings": contestant.settings,
        "context": CONTEXT,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "multiplications": contestant.multiplications,
        "steps": plan.steps,
        "bits": round(held_out_bits(task, model.eval(), alphabet.encode(held_out)), 4),
        "seconds": round(seconds),
        "hardware": hardware(),
        "source": "python -m training.efficient_characters.train",
    }
    print(row, flush=True)
    add_row(EFFICIENT_CHARACTERS, row)


def loss(task: str, model: CharacterModel, windows: shakespeare.Windows, step: int) -> Tensor:
    """The loss of the batch of one step."""
    text, following = windows.batch(step)
    if task == NEXT:
        inputs, is_target, targets = text, torch.ones_like(text, dtype=torch.bool), following
    else:
        targets = following  # just as good a text as the one that is read, with nothing unknown in it
        is_target = shakespeare.hidden_groups(len(targets), CONTEXT) == 0
        inputs = targets.masked_fill(is_target, 0)
    with torch.autocast("cpu", torch.bfloat16):
        return F.cross_entropy(model(inputs)[is_target].float(), targets[is_target])


def held_out_bits(task: str, model: CharacterModel, characters: Tensor) -> float:
    """Mean bits of a predicted character."""
    if task == NEXT:
        return float(shakespeare.bits_by_position(model, characters, CONTEXT).mean())
    return shakespeare.bits_of_hidden(model, characters, CONTEXT, SEED)


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[SHAKESPEARE],
        run=Path("runs/efficient-characters"),
        steps=1200,
        threads="all",
        helps={"run": "resumed if present"},
    )
    parser.add_argument("--task", action="append", choices=TASKS, help="may be named more than once; default: both")
    parser.add_argument("--variant", action="append", choices=list(contestants(causal=False)), help="default: all")
    return parser


if __name__ == "__main__":
    main()
