"""Image classifiers: timm's results and speeds, the leaders of 2020 and 2022, the sizes of the vision transformer."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from .image_families import DATA, FAMILIES
from .table import FOLDER, NOTE, SOURCE, Columns, Day, Number, Whole, Words, read_table

TESTS = ("real", "v2", "a", "r", "sketch")  # other labels or pictures than those of the validation set
DEVICES = ("rtx5090", "rtx4090", "rtx3090", "cpu")
_FAMILY = Words("family", among=FAMILIES, kind="families")
_TIMM: Columns = (
    Words("model"),
    Whole("resolution"),
    _FAMILY,
    Words("data", among=DATA, kind="collections"),
    Words("teacher", among=("yes", "no"), kind="answers"),
    Number("parameters_millions", high=1e6, required=True, open=True),
    Number("gmacs", high=1e6),
    *(Number(name, high=100.0, required=True) for name in ("top1", "top5")),
    *(Number(name, high=100.0) for name in TESTS),
    *(Number(name, high=1e7, open=True) for name in DEVICES),
    SOURCE,
)


@dataclass(frozen=True)
class ImageModel:
    """A model of timm, tested at one resolution (pixels on a side). Accuracies in per cent, speeds in images/s.

    `top1` and `top5` are those on ImageNet's validation set, `real` to `sketch` are top-1 on other labels or pictures;
    `cpu` ran one picture at a time in float32, the GPUs ran batches in mixed precision. None: not measured.
    """

    model: str
    resolution: int
    family: str
    data: str
    teacher: bool
    parameters: float
    macs: float | None
    top1: float
    top5: float
    real: float | None
    v2: float | None
    a: float | None
    r: float | None
    sketch: float | None
    rtx5090: float | None
    rtx4090: float | None
    rtx3090: float | None
    cpu: float | None
    source: str


def image_models(file: Path = FOLDER / "image_models.csv") -> tuple[ImageModel, ...]:
    """timm's results joined with its benchmarks by training/published_tables.py; ValueError where a row is wrong."""
    return tuple(_image_model(dict(row.cells)) for row in read_table(file, _TIMM, unique=("model", "resolution")))


def _image_model(of: dict[str, Any]) -> ImageModel:
    gmacs = of.pop("gmacs")
    of |= {
        "teacher": of["teacher"] == "yes",
        "parameters": 1e6 * of.pop("parameters_millions"),
        "macs": None if gmacs is None else 1e9 * gmacs,
    }
    return ImageModel(**of)


@dataclass(frozen=True)
class Leader:
    """A row of the public ImageNet leaderboard as it stood on a day; accuracies in per cent, None where not stated."""

    as_of: date
    model: str
    family: str
    year: int
    top1: float
    top5: float | None
    parameters: float
    flops: float | None
    extra_data: bool
    source: str
    note: str = ""  # what is wrong on the leaderboard


_LEADERS: Columns = (
    Day("as_of"),
    Words("model"),
    Words("family", among=("transformer", "convolutional", "conv + transformer"), kind="families"),
    Whole("year", low=2012),
    Number("top1", high=100.0, required=True),
    Number("top5", high=100.0),
    Number("params_millions", high=1e6, required=True, open=True),
    Number("gflops", high=1e6, open=True),
    Words("extra_training_data", among=("yes", "no"), kind="answers"),
    SOURCE,
    NOTE,
)


def imagenet_leaders(file: Path = FOLDER / "imagenet_leaders.csv") -> tuple[Leader, ...]:
    """The first places on two days; a family "conv + transformer" is called hybrid, as everywhere here."""
    return tuple(
        Leader(
            of["as_of"],
            of["model"],
            "hybrid" if of["family"] == "conv + transformer" else of["family"],
            of["year"],
            of["top1"],
            of["top5"],
            1e6 * of["params_millions"],
            None if of["gflops"] is None else 1e9 * of["gflops"],
            of["extra_training_data"] == "yes",
            of["source"],
            of["note"],
        )
        for of in (row.cells for row in read_table(file, _LEADERS, unique=("as_of", "model")))
    )


@dataclass(frozen=True)
class Variant:
    """A size of the vision transformer (Dosovitskiy et al. 2020, Table 1)."""

    model: str
    layers: int
    width: int
    hidden: int
    heads: int
    parameters: float
    source: str


_VARIANTS: Columns = (
    Words("model"),
    *(Whole(name) for name in ("layers", "hidden_size", "mlp_size", "heads")),
    Number("params_millions", high=1e6, required=True, open=True),
    SOURCE,
)


def vit_variants(file: Path = FOLDER / "vit_variants.csv") -> tuple[Variant, ...]:
    """ViT-Base, -Large and -Huge."""
    return tuple(
        Variant(
            of["model"],
            of["layers"],
            of["hidden_size"],
            of["mlp_size"],
            of["heads"],
            1e6 * of["params_millions"],
            of["source"],
        )
        for of in (row.cells for row in read_table(file, _VARIANTS, unique=("model",)))
    )
