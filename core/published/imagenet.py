"""Image classifiers: timm's results and speeds, the leaders of 2020 and 2022, the sizes of the vision transformer."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from .image_families import DATA, FAMILIES
from .table import FOLDER, Percentage, PositiveInt, Text, one_of, read_table

TESTS = ("real", "v2", "a", "r", "sketch")  # other labels or pictures than those of the validation set
DEVICES = ("rtx5090", "rtx4090", "rtx3090", "cpu")
_Parameters = Annotated[float, Meta(gt=0, le=1e12)]
_Speed = Annotated[float, Meta(gt=0, le=1e7)]


@dataclass(frozen=True)
class ImageModel:
    """A model of timm, tested at one resolution (pixels on a side). Accuracies in per cent, speeds in images/s.

    `top1` and `top5` are those on ImageNet's validation set, `real` to `sketch` are top-1 on other labels or pictures;
    `cpu` ran one picture at a time in float32, the GPUs ran batches in mixed precision. None: not measured.
    """

    model: Text
    resolution: PositiveInt
    family: Annotated[str, one_of(FAMILIES)]
    data: Annotated[str, one_of(DATA)]
    teacher: bool
    parameters: _Parameters
    macs: Annotated[float, Meta(ge=0, le=1e15)] | None
    top1: Percentage
    top5: Percentage
    real: Percentage | None
    v2: Percentage | None
    a: Percentage | None
    r: Percentage | None
    sketch: Percentage | None
    rtx5090: _Speed | None
    rtx4090: _Speed | None
    rtx3090: _Speed | None
    cpu: _Speed | None
    source: Text


def image_models(file: Path = FOLDER / "image_models.csv") -> tuple[ImageModel, ...]:
    """timm's results joined with its benchmarks (training.measurements.published_tables); ValueError at a wrong row."""
    columns = {"parameters": "parameters_millions", "macs": "gmacs"}
    factors = {"parameters": 1e6, "macs": 1e9}
    return read_table(file, ImageModel, unique=("model", "resolution"), columns=columns, factors=factors)


@dataclass(frozen=True)
class Leader:
    """A row of the public ImageNet leaderboard as it stood on a day; accuracies in per cent, None where not stated."""

    as_of: date
    model: Text
    family: Literal["transformer", "convolutional", "hybrid"]
    year: Annotated[int, Meta(ge=2012)]
    top1: Percentage
    top5: Percentage | None
    parameters: _Parameters
    flops: Annotated[float, Meta(gt=0, le=1e15)] | None
    extra_data: bool
    source: Text
    note: str = ""  # what is wrong on the leaderboard


def imagenet_leaders(file: Path = FOLDER / "imagenet_leaders.csv") -> tuple[Leader, ...]:
    """The first places on two days."""
    columns = {"parameters": "params_millions", "flops": "gflops", "extra_data": "extra_training_data"}
    factors = {"parameters": 1e6, "flops": 1e9}
    return read_table(file, Leader, unique=("as_of", "model"), columns=columns, factors=factors)


@dataclass(frozen=True)
class Variant:
    """A size of the vision transformer (Dosovitskiy et al. 2020, Table 1)."""

    model: Text
    layers: PositiveInt
    width: PositiveInt
    hidden: PositiveInt
    heads: PositiveInt
    parameters: _Parameters
    source: Text


def vit_variants(file: Path = FOLDER / "vit_variants.csv") -> tuple[Variant, ...]:
    """ViT-Base, -Large and -Huge."""
    columns = {"width": "hidden_size", "hidden": "mlp_size", "parameters": "params_millions"}
    return read_table(file, Variant, unique=("model",), columns=columns, factors={"parameters": 1e6})
