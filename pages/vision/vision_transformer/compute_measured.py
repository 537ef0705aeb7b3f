"""What was measured of the image classifiers after their training, read from weights/<model>/ and checked."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import zoo
from core.errors import ModelError
from core.zoo.embedded import WEIGHTS
from dashboard.kept import keep

RANDOM = "random"
SIDES = ("deletion", "insertion")


@dataclass(frozen=True)
class Quality:
    """How good a model is and what it costs; None where nobody has measured it."""

    name: str
    top1: float  # share of the validation pictures
    top5: float
    pictures: int
    parameters: int | None = None
    macs: float | None = None  # multiplications with addition, for one picture
    images_per_second: float | None = None
    seconds: float | None = None  # of training
    epochs: float | None = None
    hardware: str = ""

    @property
    def standard_error(self) -> float:
        """Of top-1, from the number of pictures."""
        return math.sqrt(self.top1 * (1 - self.top1) / self.pictures)


@dataclass(frozen=True)
class Area:
    """A mean over pictures with its standard error."""

    mean: float
    standard_error: float


@dataclass(frozen=True)
class Faithful:
    """The areas of each explanation by side, RANDOM among them, and the difference of each from it in each picture."""

    name: str
    areas: Mapping[str, Mapping[str, Area]]  # explanation -> side -> area
    against_random: Mapping[str, Mapping[str, Area]]
    pictures: int
    correct: float  # the share of the pictures that the model names correctly


def qualities() -> tuple[Quality, ...]:
    """Of each model that has been measured, in the order of zoo.IMAGE."""
    return _all("results.json", _quality)


def faithfulness() -> tuple[Faithful, ...]:
    """Of each model whose explanations have been measured."""
    return _all("faithfulness.json", _faithful)


def _all(file: str, read: Callable[[Path], Any]) -> tuple[Any, ...]:
    paths = [WEIGHTS / name / file for name in zoo.IMAGE]
    found = (_read(str(path), path.stat().st_mtime_ns, read) for path in paths if path.exists())
    return tuple(one for one in found if one is not None)


@keep(computes=False)
def _read(file: str, changed: int, read: Callable[[Path], Any]) -> Any:
    """A file, read anew when it has changed; ModelError where it makes no sense."""
    del changed  # only part of the key
    path = Path(file)
    try:
        return read(path)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ModelError(
            f"weights/{path.parent.name}/{path.name} cannot be read ({reason}): fetch the project again, or measure "
            "anew."
        ) from error


def _quality(file: Path) -> Quality | None:
    given = json.loads(file.read_text(encoding="utf-8"))
    if "plan" in given and "validation" not in given:
        return None  # it has been trained, but not measured yet
    of = given["validation"]
    optional = {
        key: _number(given[key], key) for key in ("macs", "images_per_second", "seconds", "epochs") if key in given
    }
    if first := given.get("first_run"):  # the training went on from another: both count
        optional["seconds"] += _number(first["seconds"], "seconds")
        optional["epochs"] += _number(first["plan"]["steps"], "steps") * given["batch"] / given["pictures"]
    return Quality(
        name=file.parent.name,
        top1=_share(of["top1"], "top1"),
        top5=_share(of["top5"], "top5"),
        pictures=int(of["pictures"]),
        parameters=int(given["parameters"]) if "parameters" in given else None,
        hardware=str(given.get("hardware", "")),
        **optional,
    )


def _faithful(file: Path) -> Faithful:
    given = json.loads(file.read_text(encoding="utf-8"))
    found = given["explanations"]
    areas = {name: {side: _area(of[side]) for side in SIDES} for name, of in found.items()}
    against = {
        name: {side: _area(of[side]["against_random"]) for side in SIDES}
        for name, of in found.items()
        if name != RANDOM
    }
    if RANDOM not in areas or not against:
        raise ValueError("the random orders, or the explanations, are missing")
    pictures, correct = int(given["pictures"]), _share(given["correct"], "correct")
    return Faithful(file.parent.name, areas, against, pictures, correct)


def _area(given: Mapping[str, Any]) -> Area:
    return Area(_number(given["mean"], "mean"), _number(given["standard_error"], "standard_error"))


def _share(value: Any, name: str) -> float:
    if not 0 <= (number := _number(value, name)) <= 1:
        raise ValueError(f"'{name}' is not between 0 and 1")
    return number


def _number(value: Any, name: str) -> float:
    if not math.isfinite(number := float(value)):
        raise ValueError(f"'{name}' is no number")
    return number
