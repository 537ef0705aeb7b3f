"""Measure the models of the small tasks on every held-out problem, and write weights and card."""

import math
from collections.abc import Mapping

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.models.gpt import GPT
from core.probing.small_tasks import TASKS, Task, load_small_gpt, right_digits, save_small_gpts
from core.probing.small_tasks.small_gpts import FOLDER
from training.common.card import save_card, table

MOST_LEARNED = 20_000  # of the problems to learn from
BATCH_SIZE = 10_000  # problems
LINEAR = {"problems": 20_000, "steps": 300}  # what the baseline learns from, and how often it sees all of it


def report(networks: Mapping[str, GPT], *, seconds: Mapping[str, float], record: dict) -> None:
    """Write weights/small-tasks/; counts are those of the weights as stored, in half precision."""
    save_small_gpts(networks)
    results: dict[str, dict] = {}
    for name, task in TASKS.items():
        network = load_small_gpt(name)
        held_out, learned = problems_of(task, record["seed"])
        results[name] = {
            "parameters": sum(parameter.numel() for parameter in network.parameters()),
            "held_out": len(held_out),
            "held_out_wrong": wrong(network, task, held_out),
            "learned": len(learned),
            "learned_wrong": wrong(network, task, learned),
            "linear": round(linear_accuracy(task, record["seed"]), 4),
            "seconds": round(seconds[name]),
        }
        print(name, results[name], flush=True)
    save_card(FOLDER, CARD, record | {"tasks": results}, {"results_table": results_table(results)} | sizes(networks))


def problems_of(task: Task, seed: int) -> tuple[Int[Tensor, "batch digit"], Int[Tensor, "point digit"]]:
    """All held-out problems, and at most MOST_LEARNED random problems of those to learn from."""
    every = task.every()
    held_out = task.is_held_out(every)
    learned = every[~held_out]
    return every[held_out], learned[
        torch.randperm(len(learned), generator=torch.Generator().manual_seed(seed))[:MOST_LEARNED]
    ]


def wrong(network: GPT, task: Task, problems: Int[Tensor, "batch digit"]) -> int:
    """The number of problems whose answer has a wrong digit."""
    return sum(int((~right_digits(network, task, part).all(dim=-1)).sum()) for part in problems.split(BATCH_SIZE))


def linear_accuracy(task: Task, seed: int) -> float:
    """Accuracy of a linear model on held-out problems.

    A multinomial logistic regression for each digit of the answer, on all digits of the problem.
    """
    training_problems, test_problems = task.draw(LINEAR["problems"], seed, held_out=False), task.draw(BATCH_SIZE, seed)
    torch.manual_seed(seed)
    model = nn.Linear(one_hot(training_problems).shape[1], 10 * len(task.answers))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.05)

    def logits(problems: Tensor) -> Tensor:
        return model(one_hot(problems)).unflatten(-1, (len(task.answers), 10))

    for _ in range(LINEAR["steps"]):
        optimiser.zero_grad()
        F.cross_entropy(logits(training_problems).flatten(0, 1), task.solve(training_problems).flatten()).backward()
        optimiser.step()
    with torch.inference_mode():
        return float((logits(test_problems).argmax(dim=-1) == task.solve(test_problems)).all(dim=-1).float().mean())


def one_hot(problems: Int[Tensor, "batch digit"]) -> Float[Tensor, "batch _"]:
    """The one-hot encoding of the digits of each problem."""
    return F.one_hot(problems, 10).flatten(start_dim=1).float()


def sizes(networks: Mapping[str, GPT]) -> dict[str, str]:
    """The sizes of each model as a text of the card."""
    configs = {name: network.config for name, network in networks.items()}
    return {
        f"{name}_sizes": f"{config.layers} layers of {config.heads} heads, width {config.width}"
        for name, config in configs.items()
    }


def results_table(results: Mapping[str, dict]) -> str:
    """The table of the card."""
    header = ["model", "parameters", "held-out problems", "right", "problems to learn from", "right", "linear model"]
    header += ["seconds of training by the clock"]
    rows = [
        [
            name,
            f"{result['parameters']:,}",
            f"{result['held_out']:,}",
            share_right(result["held_out"], result["held_out_wrong"]),
            f"{result['learned']:,}",
            share_right(result["learned"], result["learned_wrong"]),
            f"{result['linear']:.1%}",
            result["seconds"],
        ]
        for name, result in results.items()
    ]
    return table(header, rows)


def share_right(problems: int, wrong: int) -> str:
    """A cell of the table: "100%", or the share, rounded down, and the number of wrong answers."""
    if not wrong:
        return "100%"
    return f"{math.floor(100_000 * (1 - wrong / problems)) / 1000:.3f}% ({wrong:,} wrong)"


CARD = """# small-tasks

Two GPTs (`core/models/gpt.py`) that each learned one task with a known answer, after the two demonstrations of minGPT
(Karpathy 2020). They are small enough to see what each head is for. They know twelve tokens: ten digits, `+` and `=`.

`sort` ({sort_sizes}) reads six digits and writes them from the smallest to the largest:
`352041=012345`. `add` ({add_sizes}) reads two numbers of two digits and writes the sum from the
units on: `47+85=` is followed by `231`.

## Data and licence
All problems there are: 1,000,000 to sort, 10,000 to add (`core/probing/small_tasks/tasks.py`). A fifth is
held out, drawn with a seed, together with all that differ only in the order of what is sorted or added: for a held-out
problem the very same six digits, or the same two numbers, were never seen in any order. Half of the problems to sort
were drawn so that digits repeat. The weights are released under the project's licence.

## Held-out results
The share of whole answers that are right, on every held-out problem and on those to learn from (all, or 20,000 drawn
ones), with the weights as they lie here (half precision). The linear model is a multinomial logistic regression for
each digit of the answer, on all digits of the problem; its share is of 10,000 held-out problems.

{results_table}

The adder writes the units first, as minGPT's does and as one adds by hand: every carry is then known when it is needed,
so that two columns are enough for each digit. The other order was not trained.

## How it was made
`make train-small-tasks` (`python -m training.small_tasks.train`), seed {seed}: {steps} steps of {batch} fresh problems
for each model, the loss on the answer only; Muon and AdamW, learning rate 0.003, weight decay 0.1, float32; on
{hardware}, which other work had most of. torch {torch}.
"""
