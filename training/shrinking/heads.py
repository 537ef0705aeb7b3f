"""Make core/results/shrinking_heads.csv: four networks of ours with fewer and fewer heads, really taken out.

Heads go in the order of their importance by gradient (Michel et al. 2019, equation 2), by what each alone costs
(section 3.2 there), by what each costs given those that are gone (greedy), and in three orders drawn at random. By
gradient some are also trained on for a short while, and so is the whole network, to tell the two apart.

Rows of models that are not asked for stay as they are.

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
from training.shrinking.quality import ASKED, PLAN, SUBJECTS, Subject, tuned
from training.shrinking.tables import beside_whole, merged, qualities, row_of, smaller_models

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
        found = measure(subject, arguments.run / "heads" / name, qualities(arguments, FILE, name))
        more = {"asked": ASKED, "seeds": SEEDS, "trained_steps": PLAN.steps, "learning_rate": PLAN.learning_rate}
        merged(FILE, name, found, "python -m training.shrinking.heads --data PATH", **more)


def measure(subject: Subject, run: Path, known: Mapping[str, float]) -> list[dict]:
    """The rows of one network; qualities that are `known` are not measured again."""
    orders = orders_of(subject)
    count = len(orders["gradient"])
    asked = [(order, round(count * step / STEPS), 0) for order in orders for step in range(1, STEPS + 1)]
    asked += [("gradient", round(count * share), PLAN.steps) for share in TRAINED]
    rows = []
    for order, removed, trained in [("whole", 0, 0), *asked]:
        smaller = without(subject, orders.get(order, [])[:removed])
        heads = f"{order}, {removed} of {count} heads" + (", trained on" if trained else "")
        variant = "whole" if order == "whole" else heads
        speed = beside_whole(subject, smaller)
        if trained and variant not in known:
            smaller = tuned(subject, smaller, run / f"{removed}")
        with torch.inference_mode():
            quality = known[variant] if known else subject.quality(smaller)
        told = {"order": order, "removed": removed, "heads": count, "trained": trained}
        rows.append(row_of(subject, variant, smaller, quality, speed, **told))
    return rows


def without(subject: Subject, gone: list[Head]) -> nn.Module:
    """The network without some heads, to be read."""
    return prune_heads(subject.network, by_module(gone)).requires_grad_(False).eval()


def orders_of(subject: Subject) -> dict[str, list[Head]]:
    """The heads, those to go first first, by each way to rank them."""
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
