"""How good the CLIPs are: sentences with one word exchanged, retrieval, classes of CIFAR-10."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..published.table import Number, Whole
from ..scenes.things import HELD_OUT
from ..zoo.embedded import WEIGHTS
from .result_files import Field, Group, Groups, error_of, read_json, share

MADE_BY = "python -m training.clip_report --data PATH"
FOLDER = WEIGHTS / "clip"
RANKS = (1, 5, 10)
EXCHANGED = ("colour", "shape", "size", "texture", "number", "relation", "order")  # what is exchanged
# What stands behind one of them: how many pairs were asked, and the share of the baseline that knows no order.
PAIRS, ALONE = ", pairs", ", words alone"
WAYS = ("text to picture", "picture to text")
NEAREST = ", words of the nearest photograph"  # behind a way: the baseline

_SPLIT: tuple[Field, ...] = (
    *(share(name) for kind in ("chosen", *EXCHANGED) for name in (kind, kind + ALONE)),
    *(Whole(kind + PAIRS) for kind in EXCHANGED),
    Whole("questions"),
)
_RANKED: tuple[Field, ...] = (
    *(share(f"R@{rank}") for rank in RANKS),
    *(Number(name, low=1.0, required=True) for name in ("median rank", "of")),
)
_WORLDS: dict[str, tuple[Field, ...]] = {
    "photographs": tuple(Group(way + ending, _RANKED) for ending in ("", NEAREST) for way in WAYS),
    "emoji": tuple(Group(way, _RANKED) for way in WAYS),
}
BY_NAME = ("one template", "mean of the templates")  # how the names of classes become texts
WITH, WITHOUT = "mean, classes with a counterpart", "mean, classes without one"
# Classes of CIFAR-10 that the picture encoder for photographs knew by other names, as a classifier of Tiny ImageNet.
COUNTERPARTS = {
    "automobile": ("convertible", "limousine", "beach wagon"),
    "bird": ("black stork", "albatross"),
    "cat": ("tabby", "Egyptian cat"),
    "dog": ("Chihuahua", "golden retriever", "German shepherd"),
    "frog": ("bullfrog",),
}
PICTURES = 5000  # of CIFAR-10's test pictures, in the five classes with a counterpart, and in the others
_CLASSES = Group("CIFAR-10", tuple(share(name) for name in (*BY_NAME, WITH, WITHOUT, "chance")))
_RESULTS: tuple[Field, ...] = (
    Group("scenes", (Groups("results", _SPLIT, HELD_OUT),)),
    Group("photographs", (Group("results", (*_WORLDS["photographs"], _CLASSES)),)),
    Group("emoji", (Group("results", _WORLDS["emoji"]),)),
)


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
        return error_of((self.alone if alone else self.by_kind)[kind], self.pairs[kind])


@dataclass(frozen=True)
class Retrieval:
    """How often what belongs together is among the first so many, and its median rank among all."""

    name: str
    recall: Mapping[int, float]
    median: float
    of: int


@dataclass(frozen=True)
class Results:
    """Of scenes split by split; of photographs and emoji both ways, with baselines; right classes of CIFAR-10."""

    exchanged: tuple[Exchanged, ...]
    retrievals: tuple[Retrieval, ...]
    classes: Mapping[str, float]  # the shares that are right: BY_NAME, then of the mean WITH and WITHOUT, and chance


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    found = {name: of["results"] for name, of in read_json(folder / "results.json", _RESULTS, made_by=MADE_BY).items()}
    return Results(
        tuple(_exchanged(split, shares) for split, shares in found["scenes"].items()),
        tuple(
            _retrieval(f"{world}: {each.name}", found[world][each.name])
            for world, ways in _WORLDS.items()
            for each in ways
        ),
        found["photographs"][_CLASSES.name],
    )


def _exchanged(split: str, shares: Mapping[str, Any]) -> Exchanged:
    by_kind, alone, pairs = ({kind: shares[kind + ending] for kind in EXCHANGED} for ending in ("", ALONE, PAIRS))
    return Exchanged(split, shares["chosen"], shares["questions"], by_kind, pairs, alone)


def _retrieval(name: str, found: Mapping[str, float]) -> Retrieval:
    return Retrieval(name, {rank: found[f"R@{rank}"] for rank in RANKS}, found["median rank"], int(found["of"]))
