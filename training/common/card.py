"""Results of a training: results.json for programs, and a card for people."""

import csv
import json
import platform
import shutil
from pathlib import Path

import torch


def save_card(folder: Path, text: str, results: dict, tables: dict[str, str]) -> None:
    """Write `results.json` (for programs) and `CARD.md` (for people): the text, with `{...}` filled from both."""
    save_results(folder, results)
    write_card(folder, text, tables)


def save_results(folder: Path, results: dict) -> None:
    """Write `results.json`, with the machine and the version of torch that made them."""
    results = results | {"hardware": hardware(), "torch": torch.__version__.split("+")[0]}
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")


def write_card(folder: Path, text: str, tables: dict[str, str]) -> None:
    """Write `CARD.md` from the text, filled from the present `results.json` and from `tables`."""
    results = json.loads((folder / "results.json").read_text())
    (folder / "CARD.md").write_text(text.format_map(results | tables))


def add_row(file: Path, row: dict[str, object]) -> None:
    """Append a row to a table; its keys are the header of a new file."""
    new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(row), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def install(file: Path, place: Path) -> None:
    """Copy a file of a run to `place`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, place)
    place.chmod(0o644)


def hardware(device: str = "cpu") -> str:
    """The name of the processor and its number of threads, or of the graphics card."""
    if device.startswith("cuda"):
        return torch.cuda.get_device_name(device)
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {torch.get_num_threads()} thread(s)"


def table(header: list[str], rows: list[list]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
