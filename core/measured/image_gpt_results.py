"""How good image-GPT is: bits of the next pixel, hidden pixels, and classes told by a linear probe after each layer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..published.table import Number, Whole
from ..vision.pixel_contexts import HISTOGRAM, TWO
from ..zoo.embedded import WEIGHTS
from .result_files import Field, Group, Groups, error_of, naming, read_json, share

MADE_BY = "python -m training.image_gpt_report --data PATH"
FOLDER = WEIGHTS / "image-gpt"
IMAGE_GPT = "image-GPT"
WAYS = (IMAGE_GPT, TWO, HISTOGRAM)  # to tell the next pixel, the best expected first
BEST, DRAWN, MEAN, NEIGHBOURS = FILLINGS = ("most probable", "drawn", "mean expected", "mean of neighbours")
BY_NEIGHBOURS = "right, nearest to the mean of neighbours"
NEXT, HIDDEN, UNTRAINED = PROBED = ("next", "hidden", "untrained")  # networks whose layers were probed

_MEAN: tuple[Field, ...] = (Number("mean", required=True), Number("error", required=True))
_RESULTS: tuple[Field, ...] = (
    Group("bits", (Whole("pictures"), *(Group(way, _MEAN) for way in WAYS)), required=False),
    Group(
        "filled",
        (
            Whole("pictures"),
            Whole("pixels"),
            share("share"),
            share("right"),
            share(BY_NEIGHBOURS),
            Group("bits", _MEAN),
            *(Group(filling, _MEAN) for filling in FILLINGS),
        ),
        required=False,
    ),
    Group(
        "probe",
        (
            Whole("train"),
            Whole("test"),
            share("pixels"),
            *(Groups(network, (share("right"),), required=False) for network in PROBED),
        ),
        required=False,
    ),
)


@dataclass(frozen=True)
class Mean:
    """A mean over pictures with its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class Bits:
    """Bits a pixel by each of WAYS, over so many test pictures."""

    pictures: int
    by_way: Mapping[str, Mean]


@dataclass(frozen=True)
class Filled:
    """Hidden pixels, guessed at once: how often the first guess is the very colour, and squared errors by FILLINGS.

    `by_neighbours`: how often the colour nearest to the mean of seen neighbours is the very colour.
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
    """How many of ten classes a linear classifier tells right, from raw pixels and from each layer of a network."""

    train: int
    test: int
    pixels: float
    layers: Mapping[str, tuple[float, ...]]  # by those of PROBED that were measured; 0: before the first layer

    def error(self, right: float) -> float:
        """The standard error of a share."""
        return error_of(right, self.test)


@dataclass(frozen=True)
class Results:
    """What was measured; None for what was not."""

    bits: Bits | None
    filled: Filled | None
    probe: Probe | None


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    found = read_json(file, _RESULTS, made_by=MADE_BY)
    with naming(file, MADE_BY):
        if not any(found[name] for name in ("bits", "filled", "probe")):
            raise ValueError("nothing in it was measured")
        return Results(_bits(found["bits"]), _filled(found["filled"]), _probe(found["probe"]))


def _bits(found: Mapping[str, Any] | None) -> Bits | None:
    return None if found is None else Bits(found["pictures"], {way: Mean(**found[way]) for way in WAYS})


def _filled(found: Mapping[str, Any] | None) -> Filled | None:
    return (
        None
        if found is None
        else Filled(
            found["pictures"],
            found["pixels"],
            found["share"],
            found["right"],
            found[BY_NEIGHBOURS],
            Mean(**found["bits"]),
            {filling: Mean(**found[filling]) for filling in FILLINGS},
        )
    )


def _probe(found: Mapping[str, Any] | None) -> Probe | None:
    """ValueError where the layers of a network are not numbered from 0."""
    if found is None:
        return None
    layers = {}
    for network in PROBED:
        if (own := found[network]) is None:
            continue
        if list(own) != [str(number) for number in range(len(own))]:
            raise ValueError(f"the layers in 'probe.{network}' are not numbered from 0")
        layers[network] = tuple(own[number]["right"] for number in own)
    return Probe(found["train"], found["test"], found["pixels"], layers)
