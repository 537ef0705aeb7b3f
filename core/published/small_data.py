"""Vision transformers and convolutional networks on a small set of pictures, as a lecture measured them."""

from dataclasses import dataclass
from pathlib import Path

from .table import FOLDER, NOTE, SOURCE, Columns, Number, Whole, Words, read_table


@dataclass(frozen=True)
class SmallDataResult:
    """A network trained on CIFAR-10 alone: its accuracy there in per cent, after so many epochs."""

    model: str
    family: str
    parameters: float
    accuracy: float
    epochs: int
    comment: str
    source: str
    note: str = ""  # what is wrong on the slide


_COLUMNS: Columns = (
    Words("model"),
    Words("family", among=("convolutional", "transformer"), kind="families"),
    Number("params_millions", high=1e6, required=True, open=True),
    Number("accuracy_percent", high=100.0, required=True),
    Whole("epochs"),
    Words("comment", required=False),
    SOURCE,
    NOTE,
)


def small_data_results(file: Path = FOLDER / "small_data_vit_vs_cnn.csv") -> tuple[SmallDataResult, ...]:
    """The six networks of the slide; ValueError where a row is wrong."""
    return tuple(
        SmallDataResult(
            of["model"],
            of["family"],
            1e6 * of["params_millions"],
            of["accuracy_percent"],
            of["epochs"],
            of["comment"],
            of["source"],
            of["note"],
        )
        for of in (row.cells for row in read_table(file, _COLUMNS, unique=("model",)))
    )
