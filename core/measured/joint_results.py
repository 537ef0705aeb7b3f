"""How good the networks of words and patches are: hidden words with three pictures, lies that are noticed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..published.table import Whole
from ..scenes.sentences import KINDS
from ..scenes.things import HELD_OUT
from ..zoo.embedded import WEIGHTS
from ..zoo.joint import JOINT
from .result_files import Field, Group, Groups, error_of, naming, read_json, share

MADE_BY = "python -m training.vilbert_report"
FOLDER = WEIGHTS / "vilbert"
ITS, ANOTHER, NONE = SHOWN = ("its picture", "another picture", "no picture")
ALL = "all"
EXCHANGED = ("colour", "shape", "size", "texture", "number", "relation", "order")  # what is exchanged for a lie
ASKED = ", asked"  # behind a kind: how many words, or pairs of sentences


def _shares(kinds: tuple[str, ...]) -> tuple[Field, ...]:
    """A split may have no word of a kind."""
    shares = (share(kind, required=False) for kind in kinds)
    return (*shares, *(Whole(kind + ASKED, required=False) for kind in kinds))


_SPLIT: tuple[Field, ...] = (
    *(Group(shown, _shares((ALL, *KINDS))) for shown in SHOWN),
    Group("match", _shares(EXCHANGED)),
)
_RESULTS: tuple[Field, ...] = tuple(Group(name, (Groups("results", _SPLIT, HELD_OUT),)) for name in JOINT)


@dataclass(frozen=True)
class Shares:
    """Of one network on one split: right answers by kind, and how many were asked."""

    name: str
    split: str
    shown: str  # one of SHOWN; of lies its own picture
    by_kind: Mapping[str, float]
    asked: Mapping[str, int]

    def error(self, kind: str) -> float:
        """The standard error of the share of a kind."""
        return error_of(self.by_kind[kind], self.asked[kind])


@dataclass(frozen=True)
class Results:
    """Hidden words that were guessed (by kind, and ALL), and lies that match worse than the truth (EXCHANGED)."""

    words: tuple[Shares, ...]
    lies: tuple[Shares, ...]


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    found = read_json(file, _RESULTS, made_by=MADE_BY)
    splits = [(name, split, given) for name in JOINT for split, given in found[name]["results"].items()]
    with naming(file, MADE_BY):
        return Results(
            tuple(
                _shares_of(name, split, shown, given[shown], (ALL, *KINDS))
                for name, split, given in splits
                for shown in SHOWN
            ),
            tuple(_shares_of(name, split, ITS, given["match"], EXCHANGED) for name, split, given in splits),
        )


def _shares_of(name: str, split: str, shown: str, given: Mapping[str, Any], kinds: tuple[str, ...]) -> Shares:
    """ValueError where a share stands without how many were asked, or the other way round."""
    for kind in kinds:
        if (given[kind] is None) != (given[kind + ASKED] is None):
            missing = kind if given[kind] is None else kind + ASKED
            raise ValueError(f"'{name}.results.{split}.{missing}' is missing")
    known = [kind for kind in kinds if given[kind] is not None]
    if not known or not all(given[kind + ASKED] for kind in known):
        raise ValueError(f"'{name}.results.{split}' has a kind of which nothing was asked")
    return Shares(
        name, split, shown, {kind: given[kind] for kind in known}, {kind: given[kind + ASKED] for kind in known}
    )
