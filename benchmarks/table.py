"""The table of measurements: a row for each, with its value, its budget and whether it holds."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

FOLDER = Path(__file__).parent
BENCH = "make bench"


@dataclass(frozen=True)
class Row:
    """One line of the table. `budget` is an upper limit, or a lower one if `at_least`; None: only reported."""

    what: str
    value: float
    unit: str
    budget: float | None = None
    at_least: bool = False
    detail: str = ""

    @property
    def holds(self) -> bool:
        """Whether the value is within its budget."""
        if self.budget is None:
            return True
        return self.value >= self.budget if self.at_least else self.value <= self.budget

    @property
    def formatted(self) -> str:
        """The value with three significant digits, or as a whole number from 1,000 on."""
        return f"{self.value:,.0f}" if self.value >= 1000 else f"{self.value:.3g}"

    @property
    def verdict(self) -> str:
        """The budget as a text, and by how much it is missed; "–" without a budget."""
        if self.budget is None:
            return "–"
        limit = f"{'≥' if self.at_least else '≤'} {self.budget:g} {self.unit}"
        return f"{limit}: holds" if self.holds else f"{limit}: **misses by {abs(self.value - self.budget):.3g}**"


def print_rows(rows: Iterable[Row]) -> list[Row]:
    """Collect rows, and print each as it is measured."""
    printed = []
    for row in rows:
        print(f"{row.what}: {row.formatted} {row.unit}  {row.verdict.replace('*', '')}  {row.detail}", flush=True)
        printed.append(row)
    return printed


def write(rows: list[Row], *, complete: bool, command: str = BENCH) -> None:
    """Write RESULTS.md and results.json: these rows, with machine and versions, as one run of a `command`.

    Rows of earlier runs are kept with their machine, except those that were measured again; `complete`: whether the run
    measured everything, so that all earlier rows of its command are dropped.
    """
    measured = {row.what for row in rows}
    runs = json.loads((FOLDER / "results.json").read_text())["runs"]
    for run in runs:
        is_replaced = complete and run.get("command", BENCH) == command
        run["rows"] = [row for row in run["rows"] if not is_replaced and row["what"] not in measured]
    run_now = {
        "command": command,
        "machine": describe_machine(),
        "rows": [asdict(row) | {"holds": row.holds} for row in rows],
    }
    runs = [*(run for run in runs if run["rows"]), run_now]
    (FOLDER / "RESULTS.md").write_text("\n".join(_page(runs)))
    (FOLDER / "results.json").write_text(json.dumps({"runs": runs}, indent=1, ensure_ascii=False) + "\n")


def _page(runs: list[dict]) -> Iterator[str]:
    commands = "`make bench`, `make bench-load`, `make bench-cluster`, `python -m benchmarks.suite` and `.figures`"
    yield f"# Measured by {commands}"
    yield ""
    yield "Ratios are of two measurements made in turn in one run, on machines shared with other work."
    for run in runs:
        yield ""
        yield f"- measured by: {run.get('command', BENCH)}"
        yield from (f"- {name}: {value}" for name, value in run["machine"].items())
        yield ""
        yield "| what | measured | budget | remarks |"
        yield "|---|---:|---|---|"
        for saved in run["rows"]:
            row = Row(**{name: value for name, value in saved.items() if name != "holds"})
            yield f"| {row.what} | {row.formatted} {row.unit} | {row.verdict} | {row.detail} |"
    yield ""


def describe_machine() -> dict[str, str]:
    """Processor, cores, system and versions of libraries."""
    names = ("torch", "transformers", "timm", "streamlit", "bertviz")
    return {
        "processor": _first_line(["sh", "-c", "grep -m1 'model name' /proc/cpuinfo | cut -d: -f2"])
        or platform.machine(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "versions": ", ".join(f"{name} {version(name)}" for name in names),
    }


def _first_line(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
