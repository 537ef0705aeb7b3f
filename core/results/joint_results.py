"""Results of the networks of words and patches: masked words with three kinds of picture, false sentences detected."""

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
ITS, ANOTHER, NONE = PICTURE_CONDITIONS = ("its picture", "another picture", "no picture")
ALL = "all"
EXCHANGED = ("colour", "shape", "size", "texture", "number", "relation", "order")  # what is exchanged for a lie
COUNT_SUFFIX = ", asked"  # behind a kind: how many words, or pairs of sentences


def _shares(kinds: tuple[str, ...]) -> type[dict]:
    """The type of a JSON object with a share and a count for each kind; both may be missing."""
    counts = {kind + COUNT_SUFFIX: NotRequired[PositiveInt] for kind in kinds}
    return object_of(dict.fromkeys(kinds, NotRequired[Proportion]) | counts)


_SPLIT = object_of(dict.fromkeys(PICTURE_CONDITIONS, _shares((ALL, *KINDS))) | {"match": _shares(EXCHANGED)})
_RESULTS = object_of(dict.fromkeys(JOINT, object_of({"results": object_of(dict.fromkeys(HELD_OUT, _SPLIT))})))


@dataclass(frozen=True)
class Shares:
    """Accuracy of one network on one split by kind of word, and the number of cases of each kind."""

    name: str
    split: str
    picture: str  # one of PICTURE_CONDITIONS; ITS for false sentences
    by_kind: Mapping[str, float]
    counts: Mapping[str, int]

    def error(self, kind: str) -> float:
        """The standard error of the share of a kind."""
        return error_of(self.by_kind[kind], self.counts[kind])


@dataclass(frozen=True)
class Results:
    """Accuracy on masked words (by kind, and ALL), and on telling true from false sentences (by EXCHANGED)."""

    words: tuple[Shares, ...]
    false_sentences: tuple[Shares, ...]


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
                for picture in PICTURE_CONDITIONS
            ),
            tuple(_shares_of(name, split, ITS, shares["match"], EXCHANGED) for name, split, shares in splits),
        )


def _shares_of(name: str, split: str, picture: str, shares: Mapping[str, Any], kinds: tuple[str, ...]) -> Shares:
    """Shares from an object of results.json; ValueError where a share lacks its count, or a count its share."""
    for kind in kinds:
        if (kind in shares) != (kind + COUNT_SUFFIX in shares):
            missing = kind + COUNT_SUFFIX if kind in shares else kind
            raise ValueError(f"'{name}.results.{split}.{missing}' is missing")
    measured_kinds = [kind for kind in kinds if kind in shares]
    if not measured_kinds:
        raise ValueError(f"'{name}.results.{split}' has a kind of which nothing was asked")
    counts = {kind: shares[kind + COUNT_SUFFIX] for kind in measured_kinds}
    return Shares(name, split, picture, {kind: shares[kind] for kind in measured_kinds}, counts)
