"""Results of image-GPT: bits of the next pixel, guesses for hidden pixels, and a linear probe after each layer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

from ..published.table import NonNegativeFloat, PositiveInt, Proportion
from ..vision.pixel_contexts import HISTOGRAM, LEFT_AND_ABOVE
from ..zoo.embedded import WEIGHTS
from .result_files import error_of, naming, object_of, read_json

MADE_BY = "python -m training.image_gpt.report --data PATH"
FOLDER = WEIGHTS / "image-gpt"
IMAGE_GPT = "image-GPT"
WAYS = (IMAGE_GPT, LEFT_AND_ABOVE, HISTOGRAM)  # to tell the next pixel, the best expected first
BEST, DRAWN, MEAN, NEIGHBOURS = FILLINGS = ("most probable", "drawn", "mean expected", "mean of neighbours")
BY_NEIGHBOURS = "right, nearest to the mean of neighbours"
NEXT, HIDDEN, UNTRAINED = PROBED = ("next", "hidden", "untrained")  # networks whose layers were probed


@dataclass(frozen=True)
class Mean:
    """A mean over pictures with its standard error."""

    mean: NonNegativeFloat
    error: NonNegativeFloat


@dataclass(frozen=True)
class Bits:
    """Bits of the next pixel by each of WAYS, over `pictures` test pictures."""

    pictures: int
    by_way: Mapping[str, Mean]


@dataclass(frozen=True)
class Filled:
    """Hidden pixels, guessed in one pass: accuracy of the first guess (`right`), and squared errors by FILLINGS.

    `by_neighbours`: accuracy of the colour nearest to the mean of visible neighbours.
    """

    pictures: int
    pixels: int  # that were hidden in all of them
    share: float  # of the pixels of a picture
    right: float
    by_neighbours: float
    bits: Mean
    errors: Mapping[str, Mean]


@dataclass(frozen=True)
class Probe:
    """Accuracy of a linear classifier of ten classes, from raw pixels and from each layer of a network."""

    train: int
    test: int
    pixels: float
    layers: Mapping[str, tuple[float, ...]]  # by those of PROBED that were measured; 0: before the first layer

    def error(self, right: float) -> float:
        """The standard error of a share."""
        return error_of(right, self.test)


@dataclass(frozen=True)
class Results:
    """All results; None for what was not measured."""

    bits: Bits | None
    filled: Filled | None
    probe: Probe | None


@dataclass(frozen=True)
class _Layer:
    right: Proportion


_FILLED = {
    "pictures": PositiveInt,
    "pixels": PositiveInt,
    "share": Proportion,
    "right": Proportion,
    BY_NEIGHBOURS: Proportion,
    "bits": Mean,
}
_PROBE = {"train": PositiveInt, "test": PositiveInt, "pixels": Proportion}
_RESULTS = object_of(
    {
        "bits": NotRequired[object_of({"pictures": PositiveInt} | dict.fromkeys(WAYS, Mean))],
        "filled": NotRequired[object_of(_FILLED | dict.fromkeys(FILLINGS, Mean))],
        "probe": NotRequired[object_of(_PROBE | dict.fromkeys(PROBED, NotRequired[dict[str, _Layer]]))],
    }
)


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    measured = read_json(file, _RESULTS, made_by=MADE_BY)
    with naming(file, MADE_BY):
        if not measured:
            raise ValueError("nothing in it was measured")
        bits, filled, probe = (measured.get(name) for name in ("bits", "filled", "probe"))
        return Results(bits and _bits(bits), filled and _filled(filled), probe and _probe(probe))


def _bits(measured: Mapping[str, Any]) -> Bits:
    return Bits(measured["pictures"], {way: measured[way] for way in WAYS})


def _filled(measured: Mapping[str, Any]) -> Filled:
    return Filled(
        measured["pictures"],
        measured["pixels"],
        measured["share"],
        measured["right"],
        measured[BY_NEIGHBOURS],
        measured["bits"],
        {filling: measured[filling] for filling in FILLINGS},
    )


def _probe(measured: Mapping[str, Any]) -> Probe:
    """ValueError where the layers of a network are not numbered from 0."""
    layers = {}
    for network in PROBED:
        if network not in measured:
            continue
        if list(measured[network]) != [str(number) for number in range(len(measured[network]))]:
            raise ValueError(f"the layers in 'probe.{network}' are not numbered from 0")
        layers[network] = tuple(layer.right for layer in measured[network].values())
    return Probe(measured["train"], measured["test"], measured["pixels"], layers)
