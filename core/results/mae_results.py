"""Results of the masked autoencoder: its errors beside baselines, a probe of its encoder, fine-tuning."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

from ..published.table import NonNegativeFloat, PositiveFloat, PositiveInt, Proportion
from ..vision.fillings import FILLINGS
from ..vision.skipped_patches import READ, WORK, Saving
from ..zoo.embedded import WEIGHTS
from .result_files import error_of, naming, object_of, objects_of, read_json

MADE_BY = "python -m training.mae.report --data PATH"
FOLDER = WEIGHTS / "mae"
NETWORK = "the autoencoder"
FILLED_BY = (NETWORK, *FILLINGS)
ERROR = ", standard error"  # behind the name of a filling
LABELS = (10, 100)  # per cent of the labels
TRAINED, UNTRAINED, PIXELS = "trained", "untrained", "pixels"
PATCHES, CLASS = "mean of patches", "class token"
FEATURES = (*(f"{network}, {read}" for network in (TRAINED, UNTRAINED) for read in (PATCHES, CLASS)), PIXELS)
AUTOENCODER, SCRATCH = STARTS = ("autoencoder", "scratch")


@dataclass(frozen=True)
class _Trained:
    top1: Proportion
    top5: Proportion
    steps: PositiveInt
    seconds: NonNegativeFloat


_LABELS = tuple(map(str, LABELS))
_ERRORS = object_of({name + ending: NonNegativeFloat for name in FILLED_BY for ending in ("", ERROR)})
_TUNED = object_of(dict.fromkeys(STARTS, NotRequired[_Trained]))
_SAVING = object_of(
    {
        "operations": object_of(dict.fromkeys(READ, PositiveInt)),
        "seconds": object_of(dict.fromkeys(WORK, object_of(dict.fromkeys(READ, PositiveFloat)))),
        "batch": PositiveInt,
    }
)
_RESULTS = object_of(
    {
        "pictures": PositiveInt,
        "errors": objects_of(_ERRORS),
        "validation": PositiveInt,
        "probe": object_of(dict.fromkeys(_LABELS, object_of(dict.fromkeys(FEATURES, Proportion)))),
        "fine_tuning": NotRequired[object_of(dict.fromkeys(_LABELS, NotRequired[_TUNED]))],
        "saving": _SAVING,
    }
)


@dataclass(frozen=True)
class Errors:
    """With a share (0 to 1) of patches masked: the mean squared error and its standard error, by way of filling."""

    share: float
    by_filling: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Probe:
    """Top-1 accuracy of a linear classifier on frozen features (FEATURES), trained on `labels` % of the labels."""

    labels: int
    top1: Mapping[str, float]


@dataclass(frozen=True)
class FineTuned:
    """A fine-tuned encoder: trained on `labels` per cent of the labels from `start` (one of STARTS)."""

    labels: int
    start: str
    top1: float
    top5: float
    steps: int
    seconds: float


@dataclass(frozen=True)
class Results:
    """All results: errors over `pictures` pictures, accuracies over `validation` pictures."""

    pictures: int
    errors: tuple[Errors, ...]
    validation: int
    probes: tuple[Probe, ...]
    tuned: tuple[FineTuned, ...]
    saving: Saving

    def error(self, top1: float) -> float:
        """The standard error of an accuracy."""
        return error_of(top1, self.validation)

    def tuned_with(self, labels: int) -> Mapping[str, FineTuned]:
        """The fine-tuned encoders trained on `labels` per cent of the labels, by their start."""
        return {run.start: run for run in self.tuned if run.labels == labels}


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    measured = read_json(file, _RESULTS, made_by=MADE_BY)
    saving = measured["saving"]
    with naming(file, MADE_BY):
        errors = [_errors(name, by_filling) for name, by_filling in measured["errors"].items()]
    return Results(
        measured["pictures"],
        tuple(sorted(errors, key=lambda row: row.share)),
        measured["validation"],
        tuple(Probe(labels, measured["probe"][str(labels)]) for labels in LABELS),
        tuple(_tuned(measured.get("fine_tuning", {}))),
        Saving(saving["operations"], saving["seconds"], saving["batch"]),
    )


def _errors(name: str, by_filling: Mapping[str, float]) -> Errors:
    """ValueError where a group is not named by a share in per cent."""
    if not name.isdecimal() or not 0 < int(name) < 100:
        raise ValueError(f"'errors.{name}' is not a share from 1 to 99 per cent")
    pairs = {filling: (by_filling[filling], by_filling[filling + ERROR]) for filling in FILLED_BY}
    return Errors(int(name) / 100, pairs)


def _tuned(fine_tuning: Mapping[str, Any]) -> list[FineTuned]:
    return [
        FineTuned(labels, start, run.top1, run.top5, run.steps, run.seconds)
        for labels in LABELS
        for start in STARTS
        if (run := fine_tuning.get(str(labels), {}).get(start))
    ]
