"""How good the CLIPs are: sentences with one word exchanged, retrieval, classes that were never learned."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ModelError
from core.zoo.embedded import WEIGHTS

MADE_BY = "python -m training.clip_report --data PATH"
FOLDER = WEIGHTS / "clip"
RANKS = (1, 5, 10)
# What stands behind a kind of word: how many pairs were asked, and the share of the baseline that knows no order.
PAIRS, ALONE = ", pairs", ", words alone"


@dataclass(frozen=True)
class Exchanged:
    """Of a split of scenes: how often the true sentence is preferred to nine others, and to one changed by a word."""

    split: str
    chosen: float
    questions: int
    by_kind: Mapping[str, float]
    pairs: Mapping[str, int]  # how many pairs were asked of each kind
    alone: Mapping[str, float]  # the same shares, where each word was read by itself and the vectors averaged

    def error(self, kind: str, *, alone: bool = False) -> float:
        """The standard error of the share of a kind."""
        share = (self.alone if alone else self.by_kind)[kind]
        return math.sqrt(share * (1 - share) / self.pairs[kind])


@dataclass(frozen=True)
class Retrieval:
    """How often what belongs together is among the first so many, and its median rank among all."""

    name: str
    recall: Mapping[int, float]
    median: float
    of: int


def exchanged(folder: Path = FOLDER) -> tuple[Exchanged, ...]:
    """Split by split."""
    found = _results(folder)["scenes"]["results"]
    return tuple(
        Exchanged(
            split,
            each["chosen"],
            int(each["questions"]),
            {kind: each[kind] for kind in each if f"{kind}{PAIRS}" in each},
            {kind: int(each[f"{kind}{PAIRS}"]) for kind in each if f"{kind}{PAIRS}" in each},
            {kind: each[f"{kind}{ALONE}"] for kind in each if f"{kind}{PAIRS}" in each},
        )
        for split, each in found.items()
    )


def retrievals(folder: Path = FOLDER) -> tuple[Retrieval, ...]:
    """Photographs and emoji, both ways, with the baseline of photographs."""
    results = _results(folder)
    return tuple(
        Retrieval(f"{name}: {way}", {rank: each[f"R@{rank}"] for rank in RANKS}, each["median rank"], int(each["of"]))
        for name in ("photographs", "emoji")
        for way, each in results.get(name, {}).get("results", {}).items()
        if "R@1" in each
    )


def classes_right(folder: Path = FOLDER) -> Mapping[str, float]:
    """The share of CIFAR-10's test pictures whose class is named, and chance; {} while nobody has measured."""
    return _results(folder).get("photographs", {}).get("results", {}).get("CIFAR-10", {})


def _results(folder: Path) -> dict[str, Any]:
    file = folder / "results.json"
    if not file.exists():
        raise ModelError(f"Nobody has measured this yet: {MADE_BY}.")
    return json.loads(file.read_text(encoding="utf-8"))
