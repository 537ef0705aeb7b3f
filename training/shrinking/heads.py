"""Make core/results/shrinking_heads.csv: four of this project's networks with fewer and fewer heads.

Heads are pruned in the order of their gradient importance (Michel et al. 2019, equation 2), of the loss without each of
them (section 3.2 there), of the loss without each and those pruned before (greedy), and in three random orders. In the
gradient order some networks are also trained on for a short while, and so is the whole network, for comparison.

Rows of models that are not in `--only` stay as they are.

    python -m training.shrinking.heads --data PATH [--only MODEL ...]
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import nn

from core.shrinking.importance import (
    Head,
    by_module,
    gradient_importance,
    greedy_order,
    loss_increase_without,
    random_order,
    ranked,
)
from core.shrinking.pruned_heads import prune_heads
from training.common.command_line import CommandLine
from training.shrinking.quality import PLAN, RANKING_INPUTS, SUBJECTS, Subject, fine_tune
from training.shrinking.tables import known_qualities, replace_rows, row_of, smaller_models, time_beside_whole

FILE = Path("core/results/shrinking_heads.csv")
MODELS = ("gpt-books", "bert-tasks", "vit-tiny-imagenet", "translation")
STEPS = 10  # equal ones, from none to all
SEEDS = (0, 1, 2)
TRAINED = (0.0, 0.2, 0.4, 0.6, 0.8)  # shares of heads without which a network is trained on


def main() -> None:
    """Measure each network, and write the table after each."""
    arguments = command_line().read()
    for name in arguments.only or MODELS:
        subject = SUBJECTS[name](arguments.data, arguments.run)
        rows = measure(subject, arguments.run / "heads" / name, known_qualities(arguments, FILE, name))
        more = {
            "asked": RANKING_INPUTS,
            "seeds": SEEDS,
            "trained_steps": PLAN.steps,
            "learning_rate": PLAN.learning_rate,
        }
        replace_rows(FILE, name, rows, "python -m training.shrinking.heads --data PATH", **more)


def measure(subject: Subject, run: Path, qualities: Mapping[str, float]) -> list[dict]:
    """The rows of one network; those in `qualities` are not measured again."""
    orders = orders_of(subject)
    count = len(orders["gradient"])
    settings = [(order, round(count * step / STEPS), 0) for order in orders for step in range(1, STEPS + 1)]
    settings += [("gradient", round(count * share), PLAN.steps) for share in TRAINED]
    rows = []
    for order, removed, trained in [("whole", 0, 0), *settings]:
        smaller = prune(subject, orders.get(order, [])[:removed])
        heads = f"{order}, {removed} of {count} heads" + (", trained on" if trained else "")
        variant = "whole" if order == "whole" else heads
        speed = time_beside_whole(subject, smaller)
        if trained and variant not in qualities:
            smaller = fine_tune(subject, smaller, run / f"{removed}")
        with torch.inference_mode():
            quality = qualities[variant] if qualities else subject.quality(smaller)
        columns = {"order": order, "removed": removed, "heads": count, "trained": trained}
        rows.append(row_of(subject, variant, smaller, quality, speed, **columns))
    return rows


def prune(subject: Subject, heads: list[Head]) -> nn.Module:
    """A copy of the network without some heads, for inference."""
    return prune_heads(subject.network, by_module(heads)).requires_grad_(False).eval()


def orders_of(subject: Subject) -> dict[str, list[Head]]:
    """All heads in the order in which they are pruned, for each way to rank them."""
    network, losses = subject.network, subject.losses
    orders = {
        "gradient": ranked(gradient_importance(network, losses)),
        "alone": ranked(loss_increase_without(network, losses)),
        "greedy": greedy_order(network, losses),
    }
    return orders | {f"random {seed}": random_order(network, seed=seed) for seed in SEEDS}


def command_line() -> CommandLine:
    """The options of the command line."""
    return smaller_models(__doc__, MODELS)


if __name__ == "__main__":
    main()
