"""Results of DALL-E: how many statements hold in its pictures, errors of its autoencoders, seconds for a picture."""

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
ALL, WHOLE_SENTENCE = "all words", "whole sentence"
OF = (WHOLE_SENTENCE, ALL, *KINDS)
COUNTS = ("1", "4", "16")  # pictures that were drawn at once, for the time


@dataclass(frozen=True)
class Share:
    """The share of statements that hold, its standard error, and the number of statements (`asked`)."""

    share: Proportion
    error: NonNegativeFloat
    asked: PositiveInt


@dataclass(frozen=True)
class CoderResult:
    """An autoencoder on held-out pictures: mean squared errors (values 0 to 1), and the use of its codes."""

    pictures: PositiveInt
    codes: PositiveInt
    used: PositiveInt
    error: NonNegativeFloat
    plain_error: NonNegativeFloat  # of the mean colour of each picture
    perplexity: NonNegativeFloat


@dataclass(frozen=True)
class DrawerResult:
    """A DALL-E: bits for each code of held-out pictures, given their own sentence and another one; seconds."""

    bits: NonNegativeFloat
    bits_other: NonNegativeFloat
    seconds: Mapping[int, NonNegativeFloat]  # by how many pictures are drawn at once
    own_name: Proportion | None = None  # of drawings that CLIP finds nearer to their own text than to another


@dataclass(frozen=True)
class Results:
    """All results; `held[split][way][kind]` is empty where the reader of scenes was missing."""

    coders: Mapping[str, CoderResult]
    drawers: Mapping[str, DrawerResult]
    held: Mapping[str, Mapping[str, Mapping[str, Share]]] = field(default_factory=dict)


@dataclass(frozen=True)
class ReaderResult:
    """The reader of scenes on a split: number of scenes, shares of scenes without a mistake and of things found."""

    scenes: int
    whole_scenes: float
    things_found: float


@dataclass(frozen=True)
class _ReaderShares:
    whole: Proportion
    found: Proportion


@dataclass(frozen=True)
class _Reader:
    asked: PositiveInt
    read: Mapping[str, _ReaderShares]


def reader(folder: Path = WEIGHTS / "scene-reader") -> Mapping[str, ReaderResult]:
    """Results of the reader of scenes by split; empty where it is missing. ModelError where the file is wrong."""
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
    """ValueError where a network of the object `place` of the file has no seconds for one of COUNTS."""
    for name, by_count in seconds.items():
        if missing := [count for count in COUNTS if int(count) not in by_count]:
            raise ValueError(f"'{place}.{name}.seconds.{missing[0]}' is missing")
