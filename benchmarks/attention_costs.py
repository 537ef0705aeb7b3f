"""Measure exact and efficient attention from 128 to 16,384 tokens: python -m benchmarks.attention_costs

Writes core/results/attention_costs.csv, which the page "Efficient attention" shows. Takes a few minutes and 6 GB; run
it while nothing else does.
"""

import csv

import torch

from benchmarks.table import describe_machine
from core.costs.attention_costs import measure_attention
from core.results import ATTENTION_COSTS

PATIENCE = 300.0  # seconds


def main() -> None:
    """Measure, write."""
    threads = torch.get_num_threads()
    hardware = f"{describe_machine()['processor']}, {threads} threads"
    costs = measure_attention(lambda done, total: print(f"\r{done} of {total}", end="", flush=True), patience=PATIENCE)
    with ATTENTION_COSTS.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["name", "tokens", "seconds", "repeats", "bytes", "hardware", "source"])
        for cost in costs:
            row = [cost.name, cost.tokens, f"{cost.seconds:.6g}", cost.repeats, cost.bytes]
            writer.writerow([*row, hardware, "python -m benchmarks.attention_costs"])
    print(f"\n{len(costs)} rows in {ATTENTION_COSTS.name}")


if __name__ == "__main__":
    main()
