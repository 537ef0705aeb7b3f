"""How good the networks that draw are: what holds in their drawings, what the codes lose, how long a picture takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..published.table import Number, Whole
from ..scenes.sentences import KINDS
from ..zoo.dalles import CODERS, DALLES
from ..zoo.embedded import WEIGHTS
from .result_files import Field, Group, Groups, naming, read_json, share

MADE_BY = "python -m training.dalle_report"
FOLDER = WEIGHTS / "dalle"
SPLITS = ("test", "pairs", "relations")
BEST_OF = (1, 2, 4, 8, 16)  # candidates of which CLIP chooses one
# The picture of another sentence; the true scene through the autoencoder; the true scene as it is drawn.
CHANCE, THROUGH, DIRECT = ("another picture", "true scene through codes", "true scene")
WAYS = (*map(str, BEST_OF), CHANCE, THROUGH, DIRECT)
ALL, WHOLE = "all words", "whole sentence"
OF = (WHOLE, ALL, *KINDS)
COUNTS = ("1", "4", "16")  # pictures that were drawn at once, for the time

_SHARE: tuple[Field, ...] = (share("share"), Number("error", required=True), Whole("asked"))


def share_fields() -> tuple[Field, ...]:
    """What is stored of one way to a picture: a share for each kind of word that was asked about."""
    return tuple(Group(kind, _SHARE, required=False) for kind in OF)


_CODER: tuple[Field, ...] = (
    Whole("pictures"),
    Whole("codes"),
    Whole("used"),
    Number("error", required=True),
    Number("plain_error", required=True),
    Number("perplexity", required=True),
)
_DRAWER: tuple[Field, ...] = (
    Number("bits", required=True),  # for each code of a held-out picture, with its own sentence
    Number("bits_other", required=True),  # with the sentence of another picture
    Group("seconds", tuple(Number(count, required=True) for count in COUNTS)),
    share("own_name", required=False),  # of drawings that CLIP finds nearer to their own text than to another
)
HELD = Group(  # by split, and by the way to a picture
    "held",
    tuple(
        Group(split, tuple(Group(way, share_fields(), required=False) for way in WAYS), required=False)
        for split in SPLITS
    ),
    required=False,
)
_RESULTS: tuple[Field, ...] = (
    Group("coders", tuple(Group(name, _CODER, required=False) for name in CODERS)),
    Group("drawers", tuple(Group(name, _DRAWER, required=False) for name in DALLES)),
    HELD,
)
_READER: tuple[Field, ...] = (
    Whole("asked"),
    Groups("read", tuple(share(name) for name in ("whole", "found", "there"))),
)


@dataclass(frozen=True)
class Share:
    """A share of so many statements that hold, with its standard error."""

    share: float
    error: float
    asked: int


@dataclass(frozen=True)
class CoderResult:
    """Of held-out pictures through an autoencoder: errors (mean squared, values 0 to 1), and how its codes are used."""

    pictures: int
    codes: int
    used: int
    error: float
    plain_error: float  # of the mean colour of each picture
    perplexity: float


@dataclass(frozen=True)
class DrawerResult:
    """Of a DALL-E: bits for each code of held-out pictures, with the own sentence and with another; seconds."""

    bits: float
    bits_other: float
    seconds: Mapping[int, float]  # by how many pictures are drawn at once
    own_name: float | None


@dataclass(frozen=True)
class Results:
    """What was measured; `held[split][way][kind]`, empty where the reader of scenes was not there."""

    coders: Mapping[str, CoderResult]
    drawers: Mapping[str, DrawerResult]
    held: Mapping[str, Mapping[str, Mapping[str, Share]]]


@dataclass(frozen=True)
class ReaderResult:
    """How well the judge reads true scenes of a split: scenes without a mistake, things that it finds."""

    asked: int
    whole: float
    found: float


def reader(folder: Path = WEIGHTS / "scene-reader") -> Mapping[str, ReaderResult]:
    """By split; empty where the judge is not there. ModelError where its results.json makes no sense."""
    file = folder / "results.json"
    if not file.exists():
        return {}
    found = read_json(file, _READER, made_by="python -m training.scene_reader")
    return {split: ReaderResult(found["asked"], each["whole"], each["found"]) for split, each in found["read"].items()}


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    found = read_json(file, _RESULTS, made_by=MADE_BY)
    with naming(file, MADE_BY):
        coders = {name: CoderResult(**given) for name, given in found["coders"].items() if given}
        drawers = {name: _drawer(given) for name, given in found["drawers"].items() if given}
        if not coders or not drawers:
            raise ValueError("nothing was measured")
        held = {split: held_of(given) for split, given in (found["held"] or {}).items() if given}
    return Results(coders, drawers, {split: given for split, given in held.items() if given})


def _drawer(given: Mapping[str, Any]) -> DrawerResult:
    seconds = {int(count): given["seconds"][count] for count in COUNTS}
    return DrawerResult(given["bits"], given["bits_other"], seconds, given["own_name"])


def held_of(given: Mapping[str, Any]) -> dict[str, dict[str, Share]]:
    """The shares of each way to a picture, by kind of word."""
    return {
        way: {kind: Share(**numbers) for kind, numbers in shares.items() if numbers}
        for way, shares in given.items()
        if shares
    }
