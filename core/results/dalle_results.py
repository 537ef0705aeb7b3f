"""How good the networks that draw are: what holds in their drawings, what the codes lose, how long a picture takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..published.table import NonNegativeFloat, PositiveInt, Proportion
from ..scenes.sentences import KINDS
from ..zoo.embedded import WEIGHTS
from .result_files import naming, read_json

MADE_BY = "python -m training.dalle.report"
FOLDER = WEIGHTS / "dalle"
SPLITS = ("test", "pairs", "relations")
BEST_OF = (1, 2, 4, 8, 16)  # candidates of which CLIP chooses one
# The picture of another sentence; the true scene through the autoencoder; the true scene as it is drawn.
CHANCE, THROUGH, DIRECT = ("another picture", "true scene through codes", "true scene")
WAYS = (*map(str, BEST_OF), CHANCE, THROUGH, DIRECT)
ALL, WHOLE = "all words", "whole sentence"
OF = (WHOLE, ALL, *KINDS)
COUNTS = ("1", "4", "16")  # pictures that were drawn at once, for the time


@dataclass(frozen=True)
class Share:
    """A share of so many statements that hold, with its standard error."""

    share: Proportion
    error: NonNegativeFloat
    asked: PositiveInt


@dataclass(frozen=True)
class CoderResult:
    """Of held-out pictures through an autoencoder: errors (mean squared, values 0 to 1), and how its codes are used."""

    pictures: PositiveInt
    codes: PositiveInt
    used: PositiveInt
    error: NonNegativeFloat
    plain_error: NonNegativeFloat  # of the mean colour of each picture
    perplexity: NonNegativeFloat


@dataclass(frozen=True)
class DrawerResult:
    """Of a DALL-E: bits for each code of held-out pictures, with the own sentence and with another; seconds."""

    bits: NonNegativeFloat
    bits_other: NonNegativeFloat
    seconds: Mapping[int, NonNegativeFloat]  # by how many pictures are drawn at once
    own_name: Proportion | None = None  # of drawings that CLIP finds nearer to their own text than to another


@dataclass(frozen=True)
class Results:
    """What was measured; `held[split][way][kind]`, empty where the reader of scenes was not there."""

    coders: Mapping[str, CoderResult]
    drawers: Mapping[str, DrawerResult]
    held: Mapping[str, Mapping[str, Mapping[str, Share]]] = field(default_factory=dict)


@dataclass(frozen=True)
class ReaderResult:
    """How well the judge reads true scenes of a split: scenes without a mistake, things that it finds."""

    asked: int
    whole: float
    found: float


@dataclass(frozen=True)
class _Read:
    whole: Proportion
    found: Proportion


@dataclass(frozen=True)
class _Reader:
    asked: PositiveInt
    read: Mapping[str, _Read]


def reader(folder: Path = WEIGHTS / "scene-reader") -> Mapping[str, ReaderResult]:
    """By split; empty where the judge is not there. ModelError where its results.json makes no sense."""
    file = folder / "results.json"
    if not file.exists():
        return {}
    measured = read_json(file, _Reader, made_by="python -m training.scene_reader.train")
    return {split: ReaderResult(measured.asked, read.whole, read.found) for split, read in measured.read.items()}


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    measured = read_json(file, Results, made_by=MADE_BY)
    with naming(file, MADE_BY):
        if not measured.coders or not measured.drawers:
            raise ValueError("nothing was measured")
        check_seconds("drawers", {name: drawer.seconds for name, drawer in measured.drawers.items()})
    return measured


def check_seconds(place: str, seconds: Mapping[str, Mapping[int, float]]) -> None:
    """ValueError where a network of that place in the file has no time of one of COUNTS."""
    for name, by_count in seconds.items():
        if missing := [count for count in COUNTS if int(count) not in by_count]:
            raise ValueError(f"'{place}.{name}.seconds.{missing[0]}' is missing")
