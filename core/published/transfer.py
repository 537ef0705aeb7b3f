"""Vision transformers against convolutional networks after large pre-training (Dosovitskiy et al. 2020, Table 2)."""

import re
from dataclasses import dataclass
from pathlib import Path

from .table import FOLDER, SOURCE, Columns, Number, Whole, Words, read_as


@dataclass(frozen=True)
class TransferResult:
    """A pre-trained model tuned to a data set: accuracy in per cent, its standard deviation over three runs if stated.

    `core_days`: what the pre-training cost on TPUv3 cores, in days of one core.
    """

    dataset: str
    model: str
    family: str
    accuracy: float
    deviation: float | None
    core_days: float
    source: str

    @property
    def data(self) -> str:
        """What it was pre-trained on: in brackets behind its name; BiT-L and Noisy Student used JFT-300M."""
        named = re.search(r"\((JFT|ImageNet-21k)\)", self.model)
        return "ImageNet-21k" if named and named[1] == "ImageNet-21k" else "JFT-300M"


_COLUMNS: Columns = (
    *(Words(name) for name in ("dataset", "model")),
    Words("family", among=("transformer", "convolutional"), kind="families"),
    Number("accuracy", high=100.0, required=True),
    Number("accuracy_std", high=100.0),
    Number("tpuv3_core_days", high=1e9, required=True, open=True),
    SOURCE,
)


def transfer_results(file: Path = FOLDER / "vit_vs_cnn_transfer.csv") -> tuple[TransferResult, ...]:
    """Five models on up to seven data sets; ValueError where a row is wrong."""
    return read_as(TransferResult, file, _COLUMNS, unique=("dataset", "model"))


@dataclass(frozen=True)
class Pictures:
    """A collection of pictures to learn from, with rounded counts."""

    data: str
    pictures: int
    classes: int
    source: str


_PICTURES: Columns = (Words("data"), Whole("pictures"), Whole("classes"), SOURCE)


def pretraining_pictures(file: Path = FOLDER / "pretraining_pictures.csv") -> tuple[Pictures, ...]:
    """ImageNet, ImageNet-21k and JFT-300M; ValueError where a row is wrong."""
    return read_as(Pictures, file, _PICTURES, unique=("data",))
