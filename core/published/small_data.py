"""Vision transformers and convolutional networks on a small set of pictures, as a lecture measured them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from .table import FOLDER, Percentage, PositiveInt, Text, read_table


@dataclass(frozen=True)
class SmallDataResult:
    """A network trained on CIFAR-10 alone: its accuracy there in per cent, after so many epochs."""

    model: Text
    family: Literal["convolutional", "transformer"]
    parameters: Annotated[float, Meta(gt=0, le=1e12)]
    accuracy: Percentage
    epochs: PositiveInt
    comment: str
    source: Text
    note: str = ""  # what is wrong on the slide


def small_data_results(file: Path = FOLDER / "small_data_vit_vs_cnn.csv") -> tuple[SmallDataResult, ...]:
    """The six networks of the slide; ValueError where a row is wrong."""
    columns = {"parameters": "params_millions", "accuracy": "accuracy_percent"}
    return read_table(file, SmallDataResult, unique=("model",), columns=columns, factors={"parameters": 1e6})
