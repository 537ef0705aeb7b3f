"""Results of the five character models: quality and cost, reach of gradients, accuracy of copying."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ..models.character import BODIES
from ..published.table import NonNegativeFloat, NonNegativeInt, PositiveInt, Proportion, one_of
from ..zoo.embedded import WEIGHTS
from .result_files import object_of, read_json, read_rows

FOLDER = WEIGHTS / "characters"
TRAINED = "make train-characters DATA=PATH"
NAMES = tuple(BODIES)

_Model = Annotated[str, one_of(NAMES)]


@dataclass(frozen=True)
class Result:
    """A model's size, its bits for a character of held-out text, and the seconds of one epoch."""

    parameters: PositiveInt
    bits: NonNegativeFloat
    bits_half_precision: NonNegativeFloat  # before the weights were stored in 8 bits
    seconds_per_epoch: NonNegativeFloat


_RESULTS = object_of({"models": object_of(dict.fromkeys(NAMES, Result))})


def results(folder: Path = FOLDER) -> dict[str, Result]:
    """results.json, by the names of the models; ModelError where it is missing or makes no sense."""
    models = read_json(folder / "results.json", _RESULTS, made_by=TRAINED)["models"]
    return {name: models[name] for name in NAMES}


@dataclass(frozen=True)
class Reach:
    """The mean norm of the gradient of a model's output with respect to the character `distance` back, 1 at 0."""

    model: _Model
    distance: NonNegativeInt
    norm: NonNegativeFloat


def reach(folder: Path = FOLDER) -> tuple[Reach, ...]:
    """reach.csv: a row for each model and distance; ModelError as of `results`."""
    return read_rows(
        folder / "reach.csv", Reach, unique=("model", "distance"), covers={"model": NAMES}, made_by=TRAINED
    )


@dataclass(frozen=True)
class CopyAccuracy:
    """The share of digits that a model of the copy task repeats correctly after `distance` other characters, 0 to 1."""

    model: _Model
    distance: PositiveInt
    accuracy: Proportion


def copied(folder: Path = FOLDER) -> tuple[CopyAccuracy, ...]:
    """copy.csv: a row for each model and distance; ModelError as of `results`."""
    return read_rows(
        folder / "copy.csv", CopyAccuracy, unique=("model", "distance"), covers={"model": NAMES}, made_by=TRAINED
    )
