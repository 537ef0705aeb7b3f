"""Results of the image classifiers: accuracy, cost, and faithfulness of explanations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from ..published.table import NonNegativeFloat, PositiveFloat, PositiveInt, Proportion
from ..zoo.embedded import IMAGE, WEIGHTS
from .result_files import error_of, naming, read_json

RANDOM = "random"  # orders drawn at random, beside the explanations
SIDES = ("deletion", "insertion")
# Models on offer, and the convolutions without shortcuts, which are measured and do not come along.
CLASSIFIERS = (*IMAGE, "plain-tiny-imagenet")
SIDE = 64  # pixels of a side of the validation pictures
MEASURED = "python -m training.tiny_imagenet.report --data PATH"
EXPLAINED = "python -m training.measurements.vision_faithfulness --data PATH"


@dataclass(frozen=True)
class Accuracy:
    """Top-1 and top-5 accuracy on `pictures` pictures."""

    top1: Proportion
    top5: Proportion
    pictures: PositiveInt

    @property
    def standard_error(self) -> float:
        """The standard error of top-1."""
        return error_of(self.top1, self.pictures)


@dataclass(frozen=True)
class Quality:
    """Accuracy and cost of a model; None for what was not measured."""

    name: str
    top1: float  # share of the validation pictures
    top5: float
    pictures: int
    parameters: int | None = None
    macs: float | None = None  # multiplications with addition, for one picture
    images_per_second: float | None = None
    seconds: float | None = None  # of training, with that of a first run that it went on from
    epochs: float | None = None
    hardware: str = ""
    enlarged: Mapping[int, Accuracy] = field(default_factory=dict)  # by pixels of a side: the same pictures, enlarged
    side: int = SIDE  # pixels of a side of the pictures, which are enlarged where it is above SIDE

    @property
    def standard_error(self) -> float:
        """The standard error of top-1."""
        return error_of(self.top1, self.pictures)

    def at(self, side: int) -> Accuracy | None:
        """Accuracy on pictures of `side` x `side` pixels; None for a size that was not measured."""
        return Accuracy(self.top1, self.top5, self.pictures) if side == self.side else self.enlarged.get(side)


@dataclass(frozen=True)
class _Plan:
    steps: PositiveInt


@dataclass(frozen=True)
class _FirstRun:
    seconds: NonNegativeFloat
    plan: _Plan


@dataclass(frozen=True)
class _Measured:
    validation: Accuracy
    enlarged: Mapping[int, Accuracy] = field(default_factory=dict)
    parameters: PositiveInt | None = None
    macs: PositiveFloat | None = None
    images_per_second: PositiveFloat | None = None
    seconds: PositiveFloat | None = None
    epochs: PositiveFloat | None = None
    batch: PositiveInt | None = None
    pictures: PositiveInt | None = None
    first_run: _FirstRun | None = None
    hardware: str = ""
    side: PositiveInt = SIDE


@dataclass(frozen=True)
class _Trained:
    plan: dict[str, Any] | None = None
    validation: dict[str, Any] | None = None


def qualities(weights: Path = WEIGHTS) -> tuple[Quality, ...]:
    """results.json of each model that was measured on pictures of SIDE; ModelError where one makes no sense.

    Those of CLASSIFIERS: the hybrid reads larger ones, and tells more classes apart.
    """
    files = [weights / name / "results.json" for name in CLASSIFIERS]
    measured = (quality(file.parent) for file in files if file.exists() and not _only_trained(file))
    return tuple(one for one in measured if one.side == SIDE)


def quality(folder: Path) -> Quality:
    """results.json of one model; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    measured = read_json(file, _Measured, made_by=MEASURED)
    seconds, epochs = measured.seconds, measured.epochs
    if first := measured.first_run:  # the training went on from another: both count
        with naming(file, MEASURED):
            if seconds is None or epochs is None or measured.batch is None or measured.pictures is None:
                raise ValueError("beside 'first_run' stand seconds, epochs, batch and pictures")
        seconds += first.seconds
        epochs += first.plan.steps * measured.batch / measured.pictures
    return Quality(
        folder.name,
        measured.validation.top1,
        measured.validation.top5,
        measured.validation.pictures,
        measured.parameters,
        measured.macs,
        measured.images_per_second,
        seconds,
        epochs,
        measured.hardware,
        measured.enlarged,
        measured.side,
    )


def _only_trained(file: Path) -> bool:
    """Whether the file holds the training's record but no measurement."""
    trained = read_json(file, _Trained, made_by=MEASURED)
    return trained.plan is not None and trained.validation is None


@dataclass(frozen=True)
class Area:
    """A mean over pictures with its standard error."""

    mean: Annotated[float, Meta(ge=-1, le=1)]
    standard_error: Proportion


@dataclass(frozen=True)
class Faithful:
    """The areas of each explanation by side, RANDOM among them, and their mean differences from RANDOM.

    An area lies below the curve of a class's probability (0 to 1) while patches are deleted, or inserted.
    """

    name: str
    areas: Mapping[str, Mapping[str, Area]]  # explanation -> side -> area
    against_random: Mapping[str, Mapping[str, Area]]
    pictures: int
    correct: float  # the share of the pictures that the model names correctly


@dataclass(frozen=True)
class _Side:
    mean: Proportion
    standard_error: Proportion
    against_random: Area | None = None


@dataclass(frozen=True)
class _Sides:
    deletion: _Side
    insertion: _Side


@dataclass(frozen=True)
class _Explained:
    explanations: Annotated[Mapping[str, _Sides], Meta(min_length=1)]
    pictures: PositiveInt
    correct: Proportion


def faithfulness(weights: Path = WEIGHTS) -> tuple[Faithful, ...]:
    """faithfulness.json of each model of CLASSIFIERS that has one; ModelError where one makes no sense."""
    return tuple(faithful(weights / name) for name in CLASSIFIERS if (weights / name / "faithfulness.json").exists())


def faithful(folder: Path) -> Faithful:
    """faithfulness.json of one model; ModelError where it is missing or makes no sense."""
    file = folder / "faithfulness.json"
    measured = read_json(file, _Explained, made_by=EXPLAINED)
    areas: dict[str, dict[str, Area]] = {}
    against: dict[str, dict[str, Area]] = {}
    with naming(file, EXPLAINED):
        for name, sides in measured.explanations.items():
            for side in SIDES:
                area: _Side = getattr(sides, side)
                areas.setdefault(name, {})[side] = Area(area.mean, area.standard_error)
                if name != RANDOM:
                    if area.against_random is None:
                        raise ValueError("a difference from the random orders is missing")
                    against.setdefault(name, {})[side] = area.against_random
        if RANDOM not in areas or not against:
            raise ValueError("the random orders, or the explanations, are missing")
    return Faithful(folder.name, areas, against, measured.pictures, measured.correct)
