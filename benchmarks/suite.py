"""How long the tests take, with nothing beside them: `make test` several times in a row, and `make test-all` once.

python -m benchmarks.suite             # ten runs and one: some 90 minutes; the rows go to RESULTS.md
python -m benchmarks.suite --runs 1
"""

import argparse
import re
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks import table

COMMAND = "python -m benchmarks.suite"
QUICK, ALL = ("make", "test"), ("make", "test-all")
QUICK_BUDGET, ALL_BUDGET = 8, 20  # minutes on two cores


@dataclass(frozen=True)
class Run:
    """One run of the tests."""

    seconds: float
    passed: int
    is_green: bool


def main() -> None:
    """Run the tests, and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="runs of `make test` (default: 10)")
    count = parser.parse_args().runs
    quick = [timed(QUICK) for _ in range(count)]
    table.write(table.print_rows(rows(quick, timed(ALL))), complete=True, command=COMMAND)


def timed(command: Sequence[str]) -> Run:
    """Run a command that ends with pytest."""
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    passed = re.findall(r"(\d+) passed", done.stdout)
    if done.returncode:
        print(done.stdout[-4000:], flush=True)
    return Run(seconds, int(passed[-1]) if passed else 0, done.returncode == 0)


def rows(quick: Sequence[Run], everything: Run) -> list[table.Row]:
    """The rows of the table."""
    minutes = [run.seconds / 60 for run in quick]
    return [
        table.Row(
            f"`{' '.join(QUICK)}`, median of {len(quick)} runs in a row",
            statistics.median(minutes),
            "min",
            QUICK_BUDGET,
            detail=f"{min(minutes):.1f} to {max(minutes):.1f} min; {quick[-1].passed:,} tests",
        ),
        table.Row("of these runs, those with a failure", sum(not run.is_green for run in quick), "runs", 0),
        table.Row(
            f"`{' '.join(ALL)}`",
            everything.seconds / 60,
            "min",
            ALL_BUDGET,
            detail=f"{everything.passed:,} tests" + ("" if everything.is_green else ", **not all passed**"),
        ),
    ]


if __name__ == "__main__":
    main()
