"""Published bits per dimension of networks on CIFAR-10."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from .table import FOLDER, Text, Year, read_table


@dataclass(frozen=True)
class ImageDensity:
    """An autoregressive network on pixels: bits per dimension (one of three channels, 256 values) on CIFAR-10."""

    model: Text
    year: Year
    bits: Annotated[float, Meta(gt=0, le=8)]
    source: Text


def image_densities(file: Path = FOLDER / "image_density.csv") -> tuple[ImageDensity, ...]:
    """The networks that predict pixels in order; ValueError where a row is wrong."""
    return read_table(file, ImageDensity, unique=("model",), columns={"bits": "bits_per_dimension"})
