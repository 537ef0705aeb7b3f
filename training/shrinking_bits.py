"""What fewer bits cost three networks of ours, all matrices rounded or those of one layer alone.

Data: as for training/shrinking_quality.py. Rounded weights are computed with in float32, so their time is that of the
whole network up to noise; their bytes are those that levels and scales take on disk, beside all else in float32.

    python -m training.shrinking_bits --data PATH --run FOLDER
"""

import argparse
import csv
import json
import time
from pathlib import Path

import torch

from core.shrinking.bits import block_of, matrices_of, round_network
from training.card import hardware
from training.shrinking_quality import PICTURES, ROUNDS, SUBJECTS, TOKENS, Subject, milliseconds, parameters_of

TABLE = Path(__file__).parents[1] / "core" / "measured" / "shrinking_bits.csv"
TRIED = (
    (8, "per tensor"),
    (8, "per output channel"),
    (4, "per tensor"),
    (4, "per output channel"),
    (4, "groups of 64"),
)
ALONE = (4, "per tensor")  # how one layer alone is rounded


def main() -> None:
    """Measure network after network, and write the table after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs"))
    parser.add_argument("--models", nargs="+", default=["bert-tasks", "gpt-books", "vit-tiny-imagenet"])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows: list[dict] = []
    for name in arguments.models:
        rows += measure(SUBJECTS[name](arguments.data, arguments.run))
        write(rows)


@torch.inference_mode()
def measure(subject: Subject) -> list[dict]:
    """One row for the whole network, for each way to round all matrices, and for each layer rounded alone."""
    network = subject.network
    networks, sizes, told = {"whole": network}, {"whole": 4 * parameters_of(network)}, {"whole": (32, "", "")}
    for bits, grouping in TRIED:
        variant = f"{bits} bits, {grouping}"
        networks[variant], sizes[variant] = round_network(network, bits, grouping)
        told[variant] = (bits, grouping, "")
    times = dict(milliseconds(subject.once, networks))
    for layer in sorted({block for name in matrices_of(network) if (block := block_of(name)) is not None}):
        variant = f"{ALONE[0]} bits, {ALONE[1]}, layer {layer} alone"
        names = [name for name in matrices_of(network) if block_of(name) == layer]
        networks[variant], sizes[variant] = round_network(network, *ALONE, names)
        told[variant] = (*ALONE, str(layer))
    rows = []
    for variant, each in networks.items():
        begin = time.perf_counter()
        bits, grouping, alone = told[variant]
        rows.append(
            {
                "model": subject.name,
                "variant": variant,
                "parameters": parameters_of(network),
                "bytes": sizes[variant],
                "milliseconds": round(times[variant], 3) if variant in times else "",
                "quality": round(subject.quality(each), 4),
                "measure": subject.measure,
                "bits": bits,
                "grouping": grouping,
                "layer": alone,
            }
        )
        print(rows[-1], f"{time.perf_counter() - begin:.1f} s", flush=True)
    return rows


def write(rows: list[dict]) -> None:
    """The table, and beside it how it was made."""
    with TABLE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    told = {
        "command": "python -m training.shrinking_bits --data PATH",
        "hardware": hardware(),
        "torch": torch.__version__,
        "threads": 1,
        "rounds": ROUNDS,
        "seed": "none: nothing is drawn",
        "samples": {"gpt-books": f"{TOKENS} tokens", "bert-tasks": "872", "vit-tiny-imagenet": f"{PICTURES}"},
    }
    TABLE.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
