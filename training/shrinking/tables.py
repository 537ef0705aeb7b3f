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
    """The median time of `once` with each network, taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in networks}
    for turn in range(rounds + 2):
        for name, network in networks.items():
            begin = time.perf_counter()
            once(network)
            if turn >= 2:
                taken[name].append(1000 * (time.perf_counter() - begin))
    return {name: statistics.median(each) for name, each in taken.items()}


def save(file: Path, rows: Sequence[Mapping[str, object]], command: str, **more: object) -> None:
    """A table, and beside it how it was made."""
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    told = {"command": command, "hardware": hardware(), "torch": torch.__version__, "rounds": ROUNDS} | more
    file.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n")


def row_of(
    subject: Subject, variant: str, network: nn.Module, quality: float, speed: Mapping[str, float], **more: object
) -> dict[str, object]:
    """A row of a table: a network beside the whole one. `speed` has the times of "whole" and "smaller"."""
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
    row |= more
    print({key: row[key] for key in ("model", "variant", "quality", "bytes", "milliseconds")}, flush=True)
    return row


def beside_whole(subject: Subject, network: nn.Module) -> dict[str, float]:
    """The times of a network and of the whole one."""
    return milliseconds(subject.once, {"whole": subject.network, "smaller": network})


def merged(file: Path, model: str, rows: Sequence[Mapping[str, object]], command: str, **more: object) -> None:
    """Write a table in which the rows of a model are new and all others stay."""
    kept: list[Mapping[str, object]] = []
    if file.exists():
        with file.open(encoding="utf-8") as lines:
            kept = [row for row in csv.DictReader(lines) if row["model"] != model]
    save(file, [*kept, *rows], command, **more)


def qualities(arguments: argparse.Namespace, file: Path, model: str) -> dict[str, float]:
    """By variant what was measured of a model before, if only the times are to be taken anew; else nothing."""
    if not arguments.only_timing:
        return {}
    with file.open(encoding="utf-8") as lines:
        return {row["variant"]: float(row["quality"]) for row in csv.DictReader(lines) if row["model"] == model}


def smaller_models(description: str | None, models: Sequence[str]) -> CommandLine:
    """The options that all scripts have which make models smaller without training students."""
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
