"""The image classifiers after their training: how good they are, what they cost, how faithful explanations are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..published.table import Number, Whole, Words
from ..zoo.embedded import IMAGE, WEIGHTS
from .result_files import Field, Group, Groups, error_of, naming, read_json, share

RANDOM = "random"  # orders drawn at random, beside the explanations
SIDES = ("deletion", "insertion")
SIDE = 64  # pixels of a side of the validation pictures
MEASURED = "python -m training.tiny_imagenet_report --data PATH"
EXPLAINED = "python -m training.vision_faithfulness --data PATH"


@dataclass(frozen=True)
class Accuracy:
    """How often the class is the first guess, and among the first five, of so many pictures."""

    top1: float
    top5: float
    pictures: int

    @property
    def standard_error(self) -> float:
        """Of top-1, from the number of pictures."""
        return error_of(self.top1, self.pictures)


@dataclass(frozen=True)
class Quality:
    """How good a model is and what it costs; None where nobody has measured it."""

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

    @property
    def standard_error(self) -> float:
        """Of top-1, from the number of pictures."""
        return error_of(self.top1, self.pictures)

    def at(self, side: int) -> Accuracy | None:
        """Accuracy on pictures of so many pixels a side; None at a size that was not measured."""
        return Accuracy(self.top1, self.top5, self.pictures) if side == SIDE else self.enlarged.get(side)


_ACCURACY: tuple[Field, ...] = (share("top1"), share("top5"), Whole("pictures"))
_RESULTS: tuple[Field, ...] = (
    Group("validation", _ACCURACY),
    Groups("enlarged", _ACCURACY, required=False),
    Whole("parameters", required=False),
    *(Number(name, open=True) for name in ("macs", "images_per_second", "seconds", "epochs")),
    *(Whole(name, required=False) for name in ("batch", "pictures")),
    Group("first_run", (Number("seconds", required=True), Group("plan", (Whole("steps"),))), required=False),
    Words("hardware", required=False),
)


def qualities(weights: Path = WEIGHTS) -> tuple[Quality, ...]:
    """results.json of each model of zoo.IMAGE that has been measured; ModelError where one makes no sense."""
    files = [weights / name / "results.json" for name in IMAGE]
    return tuple(quality(file.parent) for file in files if file.exists() and not _only_trained(file))


def quality(folder: Path) -> Quality:
    """results.json of one model; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    of = read_json(file, _RESULTS, made_by=MEASURED)
    seconds, epochs = of["seconds"], of["epochs"]
    if first := of["first_run"]:  # the training went on from another: both count
        with naming(file, MEASURED):
            if None in (seconds, epochs, of["batch"], of["pictures"]):
                raise ValueError("beside 'first_run' stand seconds, epochs, batch and pictures")
        seconds += first["seconds"]
        epochs += first["plan"]["steps"] * of["batch"] / of["pictures"]
    named = {name: of[name] for name in ("parameters", "macs", "images_per_second", "hardware")}
    with naming(file, MEASURED):
        enlarged = {int(side): Accuracy(**found) for side, found in (of["enlarged"] or {}).items()}
    return Quality(folder.name, **of["validation"], seconds=seconds, epochs=epochs, enlarged=enlarged, **named)


def _only_trained(file: Path) -> bool:
    """Whether the training has written the file, and nothing was measured yet."""
    found = read_json(
        file, (Group("plan", (), required=False), Group("validation", (), required=False)), made_by=MEASURED
    )
    return found["plan"] is not None and found["validation"] is None


@dataclass(frozen=True)
class Area:
    """A mean over pictures with its standard error."""

    mean: float
    standard_error: float


@dataclass(frozen=True)
class Faithful:
    """The areas of each explanation by side, RANDOM among them, and the difference of each from it in each picture.

    An area lies below the curve of a class's probability (0 to 1) while patches are deleted, or inserted.
    """

    name: str
    areas: Mapping[str, Mapping[str, Area]]  # explanation -> side -> area
    against_random: Mapping[str, Mapping[str, Area]]
    pictures: int
    correct: float  # the share of the pictures that the model names correctly


_ERROR = share("standard_error")
_DIFFERENCE = Group("against_random", (Number("mean", low=-1.0, high=1.0, required=True), _ERROR), required=False)
_FAITHFUL: tuple[Field, ...] = (
    Groups("explanations", tuple(Group(side, (share("mean"), _ERROR, _DIFFERENCE)) for side in SIDES)),
    Whole("pictures"),
    share("correct"),
)


def faithfulness(weights: Path = WEIGHTS) -> tuple[Faithful, ...]:
    """faithfulness.json of each model of zoo.IMAGE that has one; ModelError where one makes no sense."""
    return tuple(faithful(weights / name) for name in IMAGE if (weights / name / "faithfulness.json").exists())


def faithful(folder: Path) -> Faithful:
    """faithfulness.json of one model; ModelError where it is missing or makes no sense."""
    file = folder / "faithfulness.json"
    given = read_json(file, _FAITHFUL, made_by=EXPLAINED)
    found = given["explanations"]
    explained = {name: of for name, of in found.items() if name != RANDOM}
    with naming(file, EXPLAINED):
        if RANDOM not in found or not explained:
            raise ValueError("the random orders, or the explanations, are missing")
        if any(of[side]["against_random"] is None for of in explained.values() for side in SIDES):
            raise ValueError("a difference from the random orders is missing")
    areas = {
        name: {side: Area(of[side]["mean"], of[side]["standard_error"]) for side in SIDES} for name, of in found.items()
    }
    against = {name: {side: Area(**of[side]["against_random"]) for side in SIDES} for name, of in explained.items()}
    return Faithful(folder.name, areas, against, given["pictures"], given["correct"])
