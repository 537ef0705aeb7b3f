"""How good the networks of words and patches are: hidden words with three pictures, lies that are noticed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

from ..published.table import PositiveInt, Proportion
from ..scenes.sentences import KINDS
from ..scenes.things import HELD_OUT
from ..zoo.embedded import WEIGHTS
from ..zoo.joint import JOINT
from .result_files import error_of, naming, object_of, read_json

MADE_BY = "python -m training.vilbert.report"
FOLDER = WEIGHTS / "vilbert"
ITS, ANOTHER, NONE = SHOWN = ("its picture", "another picture", "no picture")
ALL = "all"
EXCHANGED = ("colour", "shape", "size", "texture", "number", "relation", "order")  # what is exchanged for a lie
ASKED = ", asked"  # behind a kind: how many words, or pairs of sentences


def _shares(kinds: tuple[str, ...]) -> type[dict]:
    """A split may have no word of a kind."""
    asked = {kind + ASKED: NotRequired[PositiveInt] for kind in kinds}
    return object_of(dict.fromkeys(kinds, NotRequired[Proportion]) | asked)


_SPLIT = object_of(dict.fromkeys(SHOWN, _shares((ALL, *KINDS))) | {"match": _shares(EXCHANGED)})
_RESULTS = object_of(dict.fromkeys(JOINT, object_of({"results": object_of(dict.fromkeys(HELD_OUT, _SPLIT))})))


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
    measured = read_json(file, _RESULTS, made_by=MADE_BY)
    splits = [(name, split, measured[name]["results"][split]) for name in JOINT for split in HELD_OUT]
    with naming(file, MADE_BY):
        return Results(
            tuple(
                _shares_of(name, split, picture, shares[picture], (ALL, *KINDS))
                for name, split, shares in splits
                for picture in SHOWN
            ),
            tuple(_shares_of(name, split, ITS, shares["match"], EXCHANGED) for name, split, shares in splits),
        )


def _shares_of(name: str, split: str, picture: str, shares: Mapping[str, Any], kinds: tuple[str, ...]) -> Shares:
    """ValueError where a share stands without how many were asked, or the other way round."""
    for kind in kinds:
        if (kind in shares) != (kind + ASKED in shares):
            missing = kind + ASKED if kind in shares else kind
            raise ValueError(f"'{name}.results.{split}.{missing}' is missing")
    known = [kind for kind in kinds if kind in shares]
    if not known:
        raise ValueError(f"'{name}.results.{split}' has a kind of which nothing was asked")
    asked = {kind: shares[kind + ASKED] for kind in known}
    return Shares(name, split, picture, {kind: shares[kind] for kind in known}, asked)
