"""Results of the CLIPs: sentences with one word exchanged, retrieval, classes of CIFAR-10."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from ..published.table import PositiveInt, Proportion
from ..scenes.things import HELD_OUT
from ..zoo.embedded import WEIGHTS
from .result_files import error_of, object_of, read_json

MADE_BY = "python -m training.clip.report --data PATH"
FOLDER = WEIGHTS / "clip"
RANKS = (1, 5, 10)
EXCHANGED = ("colour", "shape", "size", "texture", "number", "relation", "order")  # what is exchanged
# What stands behind one of them: how many pairs were asked, and the share of the baseline that knows no order.
PAIRS, ALONE = ", pairs", ", words alone"
WAYS = ("text to picture", "picture to text")
ALL_CAPTIONS = "text to picture, all five captions"
NEAREST = ", words of the nearest photograph"  # behind a way: the baseline

_SPLIT = object_of(
    {kind + ending: Proportion for kind in ("chosen", *EXCHANGED) for ending in ("", ALONE)}
    | {kind + PAIRS: PositiveInt for kind in EXCHANGED}
    | {"questions": PositiveInt}
)
_Rank = Annotated[float, Meta(ge=1, le=1e9)]
_RANKED = object_of({f"R@{rank}": Proportion for rank in RANKS} | {"median rank": _Rank, "of": _Rank})
_WORLDS = {"photographs": (*WAYS, ALL_CAPTIONS, *(way + NEAREST for way in WAYS)), "emoji": WAYS}
BY_NAME = ("one template", "mean of the templates")  # how the names of classes become texts
PICTURES = 2000  # of CIFAR-10's test pictures
_CLASSES = "CIFAR-10"
_OF_CLASSES = object_of(dict.fromkeys((*BY_NAME, "chance"), Proportion))
_RESULTS = object_of(
    {
        "scenes": object_of({"results": object_of(dict.fromkeys(HELD_OUT, _SPLIT))}),
        "photographs": object_of(
            {"results": object_of(dict.fromkeys(_WORLDS["photographs"], _RANKED) | {_CLASSES: _OF_CLASSES})}
        ),
        "emoji": object_of({"results": object_of(dict.fromkeys(_WORLDS["emoji"], _RANKED))}),
    }
)


@dataclass(frozen=True)
class SentencePreferences:
    """Accuracy on a split of scenes: the true sentence among ten, and against a copy with one word exchanged."""

    split: str
    chosen: float
    questions: int
    by_kind: Mapping[str, float]
    pairs: Mapping[str, int]  # how many pairs were asked of each kind
    alone: Mapping[str, float]  # the same shares, where each word was read by itself and the vectors averaged

    def error(self, kind: str, *, alone: bool = False) -> float:
        """The standard error of the share of a kind."""
        return error_of((self.alone if alone else self.by_kind)[kind], self.pairs[kind])


@dataclass(frozen=True)
class Retrieval:
    """Recall at each of RANKS, and the median rank of the match among all."""

    name: str
    recall: Mapping[int, float]
    median: float
    of: int


@dataclass(frozen=True)
class Results:
    """Preferences on scenes by split, retrieval of photographs and emoji with baselines, accuracy on CIFAR-10."""

    exchanged: tuple[SentencePreferences, ...]
    retrievals: tuple[Retrieval, ...]
    classes: Mapping[str, float]  # the shares that are right: BY_NAME, and chance


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    worlds = read_json(folder / "results.json", _RESULTS, made_by=MADE_BY)
    measured = {name: world["results"] for name, world in worlds.items()}
    return Results(
        tuple(_exchanged(split, measured["scenes"][split]) for split in HELD_OUT),
        tuple(_retrieval(f"{world}: {way}", measured[world][way]) for world, ways in _WORLDS.items() for way in ways),
        measured["photographs"][_CLASSES],
    )


def _exchanged(split: str, shares: Mapping[str, Any]) -> SentencePreferences:
    by_kind, alone, pairs = ({kind: shares[kind + ending] for kind in EXCHANGED} for ending in ("", ALONE, PAIRS))
    return SentencePreferences(split, shares["chosen"], shares["questions"], by_kind, pairs, alone)


def _retrieval(name: str, ranked: Mapping[str, float]) -> Retrieval:
    return Retrieval(name, {rank: ranked[f"R@{rank}"] for rank in RANKS}, ranked["median rank"], int(ranked["of"]))
