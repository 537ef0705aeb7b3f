"""How many bits networks need for a value of a picture of CIFAR-10, as their papers have it."""

from dataclasses import dataclass
from pathlib import Path

from .table import FOLDER, SOURCE, Columns, Number, Whole, Words, read_as


@dataclass(frozen=True)
class ImageDensity:
    """A network that tells pixel after pixel: bits a dimension (one of three channels, 256 values) on CIFAR-10."""

    model: str
    year: int
    bits: float
    source: str


_COLUMNS: Columns = (
    Words("model"),
    Whole("year", low=1950),
    Number("bits_per_dimension", high=8.0, required=True, open=True),
    SOURCE,
)


def image_densities(file: Path = FOLDER / "image_density.csv") -> tuple[ImageDensity, ...]:
    """Of networks that read pixels in order; ValueError where a row is wrong."""
    return read_as(ImageDensity, file, _COLUMNS, unique=("model",))
