"""Train `small-tasks`: a GPT that sorts six digits and one that adds two numbers, the two demonstrations of minGPT.

The problems are made here, so there is no data to fetch (Karpathy 2020, github.com/karpathy/minGPT: demo.ipynb and
projects/adder).

    python -m training.small_tasks.train
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from core.models.gpt import GPT, GPTConfig
from core.probing.small_tasks import ALPHABET, TASKS, Task, with_answers
from training.common.command_line import CommandLine
from training.common.loop import Plan, train
from training.small_tasks.report import report

BATCH = 256  # problems
SIZES: dict[str, dict[str, int]] = {
    "sort": {"width": 64, "layers": 2, "heads": 4},
    "add": {"width": 64, "layers": 2, "heads": 4},
}


def main() -> None:
    """Train both, measure, write the weights."""
    arguments = command_line().read()
    networks, seconds = {}, {}
    for name in arguments.only or TASKS:
        task = TASKS[name]
        plan = Plan(steps=arguments.steps, learning_rate=3e-3, decay=0.5, seed=arguments.seed, save_every=100)
        torch.manual_seed(arguments.seed)
        networks[name] = GPT(GPTConfig(vocabulary=len(ALPHABET), context=task.context, **SIZES[name]))
        print(f"{name}: {sum(parameter.numel() for parameter in networks[name].parameters()):,} parameters", flush=True)
        seconds[name] = learn(networks[name], task, plan, arguments.run / name)
    if arguments.only is None:
        record = {"seed": arguments.seed, "steps": arguments.steps, "batch": BATCH}
        report(networks, seconds=seconds, record=record)


def learn(network: GPT, task: Task, plan: Plan, folder: Path) -> float:
    """Train on new problems in each step, with the loss of the answer only; returns the seconds it took."""

    def loss_at(step: int) -> Tensor:
        read, answers = with_answers(task, problems_to_learn_from(task, BATCH, plan.seed * 1_000_003 + step))
        return F.cross_entropy(network(read)[:, task.prompt - 1 :].flatten(0, 1), answers.flatten())

    return train(network, loss_at, plan, folder)


def problems_to_learn_from(task: Task, count: int, seed: int) -> Int[Tensor, "batch digit"]:
    """Random problems that are not held out; half of those of "sort" have fewer different digits than by chance.

    Random digits are hardly ever all alike, which visitors try (minGPT's demonstration also draws fewer digits).
    """
    problems = task.draw(count, seed, held_out=False)
    if task.name != "sort":
        return problems
    generator = torch.Generator().manual_seed(seed)
    digit_counts = torch.randint(1, 7, (count, 1), generator=generator)  # digits to choose from
    choices = (torch.rand(problems.shape, generator=generator) * digit_counts).long()
    repeated = torch.randint(10, problems.shape, generator=generator).gather(1, choices)
    is_replaced = (torch.arange(count) % 2 == 0) & ~task.is_held_out(repeated)
    return torch.where(is_replaced[:, None], repeated, problems)


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__,
        run=Path("runs/small-tasks"),
        steps=1000,
        seed=True,
        threads="all",
        only=TASKS,
        helps={"only": "train these, write nothing yet"},
    )


if __name__ == "__main__":
    main()
