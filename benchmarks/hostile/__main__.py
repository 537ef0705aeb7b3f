"""Everything hostile is tried once, each with a deadline; the table of it goes into docs/hosting.md."""

import importlib
import pkgutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import benchmarks.hostile
from benchmarks.hostile.attempts import FAILURE, RESULT, SENTENCE, Outcome, try_all

DOCUMENT = Path(__file__).parents[2] / "docs" / "hosting.md"
BEGIN, END = "<!-- made by `make hostile`: begin -->\n", "<!-- made by `make hostile`: end -->\n"


def modules_with_cases() -> list[str]:
    """The names of the modules of this package that have `cases`."""
    names = [f"benchmarks.hostile.{module.name}" for module in pkgutil.iter_modules(benchmarks.hostile.__path__)]
    return [name for name in names if hasattr(importlib.import_module(name), "cases")]


def table(tries: Mapping[str, Iterable[Outcome]]) -> str:
    """A row in bold for each module, below it one for each kind of case; the sum last."""
    rows = ["| what came in | tries | right results | sentences | failures |", "|---|---:|---:|---:|---:|"]
    total: Counter[str] = Counter()
    for module, tries_of_module in tries.items():
        kinds: dict[str, Counter[str]] = defaultdict(Counter)
        for try_ in tries_of_module:
            kinds[try_.kind][try_.end] += 1
        counts_of_module: Counter[str] = sum(kinds.values(), Counter())
        total += counts_of_module
        rows += [_row(f"**{module}**", counts_of_module), *(_row(kind, counts) for kind, counts in kinds.items())]
    return "\n".join([*rows, _row("**all**", total)]) + "\n"


def _row(name: str, ends: Counter[str]) -> str:
    counts = (ends.total(), ends[RESULT], ends[SENTENCE], ends[FAILURE])
    return f"| {name} | " + " | ".join(f"{count:,}" for count in counts) + " |"


def with_table(document: str, table_text: str) -> str:
    """Replace the table between the two comments of a document; ValueError where they are missing."""
    before, begin, after_begin = document.partition(BEGIN)
    _, end, after = after_begin.partition(END)
    if not (begin and end):
        raise ValueError(f"The two comments that hold the table are not in {DOCUMENT.name}.")
    return f"{before}{BEGIN}\n{table_text}\n{END}{after}"


def main() -> int:
    """Try everything, write the table, print the failures; returns the exit code, 1 if there were any."""
    tries: dict[str, list[Outcome]] = {}
    for module in modules_with_cases():
        name = module.rpartition(".")[2]
        tries[name] = list(try_all(module))
        print(f"{name}: {len(tries[name]):,} tries", flush=True)
    failures = [failure for tries_of_module in tries.values() for failure in tries_of_module if failure.end == FAILURE]
    for failure in failures:
        print(f"{failure.kind}, {failure.name}: {failure.message}")
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8"), table(tries)), encoding="utf-8")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
