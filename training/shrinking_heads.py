"""Make core/measured/shrinking_heads.csv: four networks of ours with fewer and fewer heads, really taken out.

Heads go in the order of their importance by gradient (Michel et al. 2019, equation 2), by what each alone costs
(section 3.2 there), and in three orders drawn at random. Nothing is trained afterwards.

Data: as for training/shrinking_quality.py. Rows of models that are not asked for stay as they are.

    python -m training.shrinking_heads --data PATH [--only MODEL ...]
"""

import argparse
import csv
import json
from pathlib import Path

import torch

from core.shrinking.importance import Head, by_module, gradient_importance, random_order, ranked
from core.shrinking.pruned_heads import headed_modules, without_heads
from training.card import hardware
from training.shrinking_quality import ASKED, SUBJECTS, Subject, milliseconds, parameters_of

FILE = Path("core/measured/shrinking_heads.csv")
STEPS = 10  # equal ones, from none to all
SEEDS = (0, 1, 2)


def main() -> None:
    """Measure each network, then write the table and how it was made."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    out = arguments.out or FILE
    kept = list(csv.DictReader(out.open(encoding="utf-8"))) if out.exists() else []
    for name in arguments.only or SUBJECTS:
        subject = SUBJECTS[name](arguments.data, arguments.run)
        found = [row for row in kept if row["model"] == name]
        found = timed(subject, found) if arguments.only_timing else measure(subject)
        kept = [row for row in kept if row["model"] != name] + found
        with out.open("w", encoding="utf-8", newline="") as lines:
            writer = csv.DictWriter(lines, list(found[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)
    story = {"command": "python -m training.shrinking_heads --data PATH", "hardware": hardware(), "asked": ASKED}
    out.with_suffix(".json").write_text(
        json.dumps(story | {"seeds": SEEDS, "torch": torch.__version__}, indent=1) + "\n"
    )


def measure(subject: Subject) -> list[dict]:
    """The rows of one network."""
    whole = subject.network
    orders = orders_of(subject)
    count = len(next(iter(orders.values())))
    with torch.inference_mode():
        best = subject.quality(whole)
    rows = []
    for order, heads in orders.items():
        for step in range(1, STEPS + 1):
            removed = round(count * step / STEPS)
            smaller = without_heads(whole, by_module(heads[:removed])).requires_grad_(False).eval()
            with torch.inference_mode():
                quality = subject.quality(smaller)
            speed = milliseconds(subject.once, {"whole": whole, "smaller": smaller})
            rows.append(row_of(subject, order, removed, count, smaller, quality, speed))
            print({key: rows[-1][key] for key in ("model", "variant", "quality", "milliseconds")}, flush=True)
    first = {"whole": milliseconds(subject.once, {"whole": whole})["whole"]}
    first["smaller"] = first["whole"]
    return [row_of(subject, "whole", 0, count, whole, best, first), *rows]


def timed(subject: Subject, rows: list[dict]) -> list[dict]:
    """The same rows with times taken anew."""
    orders = orders_of(subject)
    for row in rows:
        gone = orders[row["order"]][: int(row["removed"])] if row["order"] in orders else []
        smaller = without_heads(subject.network, by_module(gone)).requires_grad_(False).eval()
        speed = milliseconds(subject.once, {"whole": subject.network, "smaller": smaller})
        row |= {"milliseconds": round(speed["smaller"], 3), "whole_milliseconds": round(speed["whole"], 3)}
    return rows


def orders_of(subject: Subject) -> dict[str, list[Head]]:
    """The heads, those to go first first, by each way to rank them."""
    network = subject.network
    orders = {"gradient": ranked(gradient_importance(network, subject.losses)), "alone": ranked(alone(subject))}
    return orders | {f"random {seed}": random_order(network, seed=seed) for seed in SEEDS}


@torch.inference_mode()
def alone(subject: Subject) -> list[torch.Tensor]:
    """How far the loss rises without each head, all others being there."""
    whole = float(subject.losses(subject.network).mean())
    return [
        torch.tensor(
            [
                float(subject.losses(without_heads(subject.network, {number: [head]})).mean()) - whole
                for head in range(headed.heads)
            ]
        )
        for number, headed in enumerate(headed_modules(subject.network))
    ]


def row_of(
    subject: Subject,
    order: str,
    removed: int,
    count: int,
    network: torch.nn.Module,
    quality: float,
    speed: dict[str, float],
) -> dict:
    """A row of the table."""
    parameters = parameters_of(network)
    return {
        "model": subject.name,
        "variant": "whole" if order == "whole" else f"{order}, {removed} of {count} heads",
        "parameters": parameters,
        "bytes": 2 * parameters,  # in half precision
        "milliseconds": round(speed["smaller"], 3),
        "quality": round(quality, 4),
        "measure": subject.measure,
        "order": order,
        "removed": removed,
        "heads": count,
        "whole_milliseconds": round(speed["whole"], 3),
    }


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/shrinking"), help="where decoded pictures are kept")
    parser.add_argument("--only", nargs="+", choices=SUBJECTS)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only-timing", action="store_true", help="on a machine that does nothing else")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
