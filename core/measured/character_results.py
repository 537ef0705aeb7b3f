"""The five character models after their training: quality and cost, how far gradients reach, what is copied right."""

from dataclasses import dataclass
from pathlib import Path

from ..models.character import BODIES
from ..published.table import Column, Number, Whole, Words
from ..zoo.embedded import WEIGHTS
from .result_files import Field, Groups, read_json, read_rows, share

FOLDER = WEIGHTS / "characters"
TRAINED = "make train-characters DATA=PATH"
NAMES = tuple(BODIES)

_MODEL = Words("model", among=NAMES, kind="models")
_NUMBERS = (Number(name, required=True) for name in ("bits", "seconds_per_epoch"))
_FIGURES: tuple[Field, ...] = (Whole("parameters"), *_NUMBERS)
_RESULTS = (Groups("models", _FIGURES, NAMES),)


@dataclass(frozen=True)
class Result:
    """A model's size, its bits for a character of held-out text, and the seconds of one pass over the text learned."""

    parameters: int
    bits: float
    seconds_per_epoch: float


def results(folder: Path = FOLDER) -> dict[str, Result]:
    """results.json, by the names of the models; ModelError where it is missing or makes no sense."""
    found = read_json(folder / "results.json", _RESULTS, made_by=TRAINED)["models"]
    return {name: Result(**of) for name, of in found.items()}


@dataclass(frozen=True)
class Reach:
    """The mean norm of the gradient of a model's answer by the character `distance` back; 1 at distance 0."""

    model: str
    distance: int
    norm: float


_REACH: tuple[Column, ...] = (_MODEL, Whole("distance", low=0), Number("norm", required=True))


def reach(folder: Path = FOLDER) -> tuple[Reach, ...]:
    """reach.csv: a row for each model and distance; ModelError as of `results`."""
    rows = read_rows(folder / "reach.csv", _REACH, unique=("model", "distance"), covers="model", made_by=TRAINED)
    return tuple(Reach(**row.cells) for row in rows)


@dataclass(frozen=True)
class Copied:
    """The share of digits that a model of the copy task repeats right after `distance` other characters, 0 to 1."""

    model: str
    distance: int
    accuracy: float


_COPIED: tuple[Column, ...] = (_MODEL, Whole("distance"), share("accuracy"))


def copied(folder: Path = FOLDER) -> tuple[Copied, ...]:
    """copy.csv: a row for each model and distance; ModelError as of `results`."""
    rows = read_rows(folder / "copy.csv", _COPIED, unique=("model", "distance"), covers="model", made_by=TRAINED)
    return tuple(Copied(**row.cells) for row in rows)
