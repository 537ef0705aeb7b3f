"""Vision transformers against convolutional networks after large pre-training (Dosovitskiy et al. 2020, Table 2)."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from .table import FOLDER, Percentage, PositiveInt, Text, read_table


@dataclass(frozen=True)
class TransferResult:
    """A fine-tuned model on a data set: accuracy in per cent, its standard deviation over three runs if stated.

    `core_days`: the cost of the pre-training in TPUv3 core-days.
    """

    dataset: Text
    model: Text
    family: Literal["transformer", "convolutional"]
    accuracy: Percentage
    deviation: Percentage | None
    core_days: Annotated[float, Meta(gt=0, le=1e9)]
    source: Text

    @property
    def data(self) -> str:
        """The pre-training data, by the brackets behind its name; BiT-L and Noisy Student used JFT-300M."""
        named = re.search(r"\((JFT|ImageNet-21k)\)", self.model)
        return "ImageNet-21k" if named and named[1] == "ImageNet-21k" else "JFT-300M"


def transfer_results(file: Path = FOLDER / "vit_vs_cnn_transfer.csv") -> tuple[TransferResult, ...]:
    """Five models on up to seven data sets; ValueError where a row is wrong."""
    columns = {"deviation": "accuracy_std", "core_days": "tpuv3_core_days"}
    return read_table(file, TransferResult, unique=("dataset", "model"), columns=columns)


@dataclass(frozen=True)
class Pictures:
    """A collection of pictures to learn from, with rounded counts."""

    data: Text
    pictures: PositiveInt
    classes: PositiveInt
    source: Text


def pretraining_pictures(file: Path = FOLDER / "pretraining_pictures.csv") -> tuple[Pictures, ...]:
    """ImageNet, ImageNet-21k and JFT-300M; ValueError where a row is wrong."""
    return read_table(file, Pictures, unique=("data",))
