"""Everything hostile is tried once, each with a deadline; the table of it goes into docs/hosting.md."""

import importlib
import pkgutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import benchmarks.hostile
from benchmarks.hostile.tries import FAILURE, RESULT, SENTENCE, Tried, try_all

DOCUMENT = Path(__file__).parents[2] / "docs" / "hosting.md"
BEGIN, END = "<!-- made by `make hostile`: begin -->\n", "<!-- made by `make hostile`: end -->\n"


def rooms() -> list[str]:
    """The modules that know hostile input: those with cases."""
    names = [f"benchmarks.hostile.{module.name}" for module in pkgutil.iter_modules(benchmarks.hostile.__path__)]
    return [name for name in names if hasattr(importlib.import_module(name), "cases")]


def table(tried: Mapping[str, Iterable[Tried]]) -> str:
    """For each room a row in bold letters, below it one for each kind in the order in which they came; the sum last."""
    rows = ["| what came in | tries | right results | sentences | failures |", "|---|---:|---:|---:|---:|"]
    total: Counter[str] = Counter()
    for room, ends in tried.items():
        kinds: dict[str, Counter[str]] = defaultdict(Counter)
        for one in ends:
            kinds[one.kind][one.end] += 1
        together: Counter[str] = sum(kinds.values(), Counter())
        total += together
        rows += [_row(f"**{room}**", together), *(_row(kind, counts) for kind, counts in kinds.items())]
    return "\n".join([*rows, _row("**all**", total)]) + "\n"


def _row(name: str, ends: Counter[str]) -> str:
    counts = (ends.total(), ends[RESULT], ends[SENTENCE], ends[FAILURE])
    return f"| {name} | " + " | ".join(f"{count:,}" for count in counts) + " |"


def with_table(document: str, made: str) -> str:
    """The document with the table between its two comments replaced."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"The two comments that hold the table are not in {DOCUMENT.name}.")
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


def main() -> int:
    """Try everything, write the table, name the failures; the exit code says whether there were any."""
    tried: dict[str, list[Tried]] = {}
    for room in rooms():
        name = room.rpartition(".")[2]
        tried[name] = list(try_all(room))
        print(f"{name}: {len(tried[name]):,} tries", flush=True)
    failures = [one for ends in tried.values() for one in ends if one.end == FAILURE]
    for one in failures:
        print(f"{one.kind}, {one.name}: {one.said}")
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8"), table(tried)), encoding="utf-8")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
