"""Other weights of attention in the classifiers of reviews, over held-out texts."""

from dataclasses import dataclass
from pathlib import Path

from ..published.table import Columns, Number, Whole, Words
from .result_files import read_rows, share

FILE = Path(__file__).with_name("sentiment_swapped.csv")
MADE_BY = "python -m training.sentiment_swapped --data PATH"
KINDS = ("own", "permuted", "uniform", "different", "trained")
PARTS = ("all", "lowest", "middle", "highest")

_COLUMNS: Columns = (
    Words("language", among=("english", "spanish")),
    Words("weights", among=KINDS),
    Words("attention", among=PARTS),
    Whole("texts"),
    *(share(name) for name in ("accuracy", "flips", "median_change", "ninth_decile_change")),
    Number("median_divergence", high=0.6932),
)


@dataclass(frozen=True)
class Swapped:
    """One kind of weights over texts of one language: `part` of them, by their largest weight of attention.

    `accuracy` and `flips` are shares; `change` is the median total variation distance of the output from that of the
    network as it is, `large_change` its ninth decile; `divergence` the median Jensen-Shannon divergence of the weights.
    """

    kind: str
    part: str
    texts: int
    accuracy: float
    flips: float
    change: float
    large_change: float
    divergence: float


def swapped(language: str, file: Path = FILE) -> tuple[Swapped, ...]:
    """The rows of a language; ModelError where the file is missing or makes no sense."""
    rows = read_rows(file, _COLUMNS, unique=("language", "weights", "attention"), made_by=MADE_BY, covers="weights")
    cells = (row.cells for row in rows)
    return tuple(
        Swapped(
            kind=each["weights"],
            part=each["attention"],
            texts=each["texts"],
            accuracy=each["accuracy"],
            flips=each["flips"],
            change=each["median_change"],
            large_change=each["ninth_decile_change"],
            divergence=each["median_divergence"],
        )
        for each in cells
        if each["language"] == language
    )
