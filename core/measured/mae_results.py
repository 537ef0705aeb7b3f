"""How good the masked autoencoder is: its errors beside fillings, what its encoder learned, what it saves."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..published.table import Number, Whole
from ..vision.fillings import FILLINGS
from ..vision.left_out import READ, WORK, Saving
from ..zoo.embedded import WEIGHTS
from .result_files import Field, Group, Groups, error_of, naming, read_json, share

MADE_BY = "python -m training.mae_report --data PATH"
FOLDER = WEIGHTS / "mae"
NETWORK = "the autoencoder"
FILLED_BY = (NETWORK, *FILLINGS)
ERROR = ", standard error"  # behind the name of a filling
LABELS = (10, 100)  # per cent of the labels
TRAINED, UNTRAINED, PIXELS = "trained", "untrained", "pixels"
PATCHES, CLASS = "mean of patches", "class token"
FEATURES = (*(f"{network}, {read}" for network in (TRAINED, UNTRAINED) for read in (PATCHES, CLASS)), PIXELS)
AUTOENCODER, SCRATCH = STARTS = ("autoencoder", "scratch")

_ERRORS: tuple[Field, ...] = tuple(Number(name + ending, required=True) for name in FILLED_BY for ending in ("", ERROR))
_TUNED: tuple[Field, ...] = (share("top1"), share("top5"), Whole("steps"), Number("seconds", required=True))
_RESULTS: tuple[Field, ...] = (
    Whole("pictures"),
    Groups("errors", _ERRORS),
    Whole("validation"),
    Groups("probe", tuple(share(name) for name in FEATURES), tuple(map(str, LABELS))),
    Group(
        "fine_tuning",
        tuple(Group(str(labels), tuple(Group(start, _TUNED, required=False) for start in STARTS), required=False)
              for labels in LABELS),
        required=False,
    ),
    Group(
        "saving",
        (
            Group("operations", tuple(Whole(read) for read in READ)),
            Group("seconds", tuple(Group(work, tuple(Number(read, required=True, open=True) for read in READ))
                                   for work in WORK)),
            Whole("batch"),
        ),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Errors:
    """With a share (0 to 1) hidden: the mean squared error and its standard error, by what fills in."""

    share: float
    by_filling: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Probe:
    """Top-1 of a linear classifier on frozen features (FEATURES), learned from `labels` per cent of the labels."""

    labels: int
    top1: Mapping[str, float]


@dataclass(frozen=True)
class Tuned:
    """A whole encoder trained on `labels` per cent of the labels from `start` (one of STARTS), in so many steps."""

    labels: int
    start: str
    top1: float
    top5: float
    steps: int
    seconds: float


@dataclass(frozen=True)
class Results:
    """All of it; `pictures` were filled in, `validation` were classified."""

    pictures: int
    errors: tuple[Errors, ...]
    validation: int
    probes: tuple[Probe, ...]
    tuned: tuple[Tuned, ...]
    saving: Saving

    def error(self, top1: float) -> float:
        """The standard error of an accuracy."""
        return error_of(top1, self.validation)

    def tuned_with(self, labels: int) -> Mapping[str, Tuned]:
        """By start, those that were measured."""
        return {each.start: each for each in self.tuned if each.labels == labels}


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    found = read_json(file, _RESULTS, made_by=MADE_BY)
    with naming(file, MADE_BY):
        return Results(
            found["pictures"],
            tuple(sorted((_errors(name, given) for name, given in found["errors"].items()), key=lambda one: one.share)),
            found["validation"],
            tuple(Probe(labels, found["probe"][str(labels)]) for labels in LABELS),
            tuple(_tuned(found["fine_tuning"] or {})),
            Saving(found["saving"]["operations"], found["saving"]["seconds"], found["saving"]["batch"]),
        )


def _errors(name: str, given: Mapping[str, float]) -> Errors:
    """ValueError where a group is not named by a share in per cent."""
    if not name.isdecimal() or not 0 < int(name) < 100:
        raise ValueError(f"'errors.{name}' is not a share from 1 to 99 per cent")
    return Errors(int(name) / 100, {filling: (given[filling], given[filling + ERROR]) for filling in FILLED_BY})


def _tuned(found: Mapping[str, Any]) -> list[Tuned]:
    return [
        Tuned(labels, start, **found[str(labels)][start])
        for labels in LABELS
        for start in STARTS
        if (found.get(str(labels)) or {}).get(start)
    ]
