"""Rows of the tables of Shrinking: a network beside the whole one, timed in turns, and where they are written."""

import argparse
import csv
import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from core.shrinking.number_formats import parameter_count
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import BOOKS, SST2, TATOEBA, TINY_IMAGENET
from training.shrinking.quality import Subject

ROUNDS = 15


@torch.inference_mode()
def milliseconds(
    once: Callable[[nn.Module], Any], networks: Mapping[str, nn.Module], rounds: int = ROUNDS
) -> dict[str, float]:
    """The median duration of `once` for each network, measured in turns, in milliseconds."""
    durations: dict[str, list[float]] = {name: [] for name in networks}
    for turn in range(rounds + 2):
        for name, network in networks.items():
            begin = time.perf_counter()
            once(network)
            if turn >= 2:
                durations[name].append(1000 * (time.perf_counter() - begin))
    return {name: statistics.median(of_network) for name, of_network in durations.items()}


def save(file: Path, rows: Sequence[Mapping[str, object]], command: str, **settings: object) -> None:
    """Write a table, and beside it the record of how it was made (JSON)."""
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    record = {"command": command, "hardware": hardware(), "torch": torch.__version__, "rounds": ROUNDS} | settings
    file.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")


def row_of(
    subject: Subject, variant: str, network: nn.Module, quality: float, speed: Mapping[str, float], **columns: object
) -> dict[str, object]:
    """A row of a table. `speed`: milliseconds of "whole" and "smaller"; `columns`: those of this table alone."""
    parameters = parameter_count(network)
    row: dict[str, object] = {
        "model": subject.name,
        "variant": variant,
        "parameters": parameters,
        "bytes": 4 * parameters,  # as computed with: float32
        "milliseconds": round(speed["smaller"], 3),
        "whole_milliseconds": round(speed["whole"], 3),
        "quality": round(quality, 4),
        "measure": subject.measure,
        "questions": subject.questions,
    }
    row |= columns
    print({key: row[key] for key in ("model", "variant", "quality", "bytes", "milliseconds")}, flush=True)
    return row


def time_beside_whole(subject: Subject, network: nn.Module) -> dict[str, float]:
    """Milliseconds of a network ("smaller") and of the whole one ("whole")."""
    return milliseconds(subject.once, {"whole": subject.network, "smaller": network})


def replace_rows(
    file: Path, model: str, rows: Sequence[Mapping[str, object]], command: str, **settings: object
) -> None:
    """Write a table in which the rows of a model are replaced, and those of other models kept."""
    other_rows: list[Mapping[str, object]] = []
    if file.exists():
        with file.open(encoding="utf-8") as lines:
            other_rows = [row for row in csv.DictReader(lines) if row["model"] != model]
    save(file, [*other_rows, *rows], command, **settings)


def known_qualities(arguments: argparse.Namespace, file: Path, model: str) -> dict[str, float]:
    """The qualities of a model's variants from the present table with `--only-timing`; else an empty dict."""
    if not arguments.only_timing:
        return {}
    with file.open(encoding="utf-8") as lines:
        return {row["variant"]: float(row["quality"]) for row in csv.DictReader(lines) if row["model"] == model}


def smaller_models(description: str | None, models: Sequence[str]) -> CommandLine:
    """The options that the scripts of heads, weights, bits and their combination share."""
    parser = CommandLine(
        description,
        data=[
            BOOKS.below("lm_text"),
            SST2,
            TINY_IMAGENET.below("tiny_imagenet"),
            TATOEBA.below("tatoeba"),
        ],
        run=Path("runs/shrinking"),
        only=models,
        threads="one",
        helps={"run": "what is kept between runs"},
    )
    parser.add_argument("--only-timing", action="store_true", help="keep the qualities: for a machine that rests")
    return parser
