"""Results of replacing the attention weights of the classifiers of reviews, over held-out texts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from ..published.table import PositiveInt, Proportion, one_of
from .result_files import read_rows

FILE = Path(__file__).with_name("sentiment_swapped.csv")
MADE_BY = "python -m training.sentiment.swapped_attention --data PATH"
KINDS = ("own", "permuted", "uniform", "different", "trained")
PARTS = ("all", "lowest", "middle", "highest")


@dataclass(frozen=True)
class SwappedAttention:
    """One kind of weights over texts of one language: `part` of them, by their largest weight of attention.

    `accuracy` and `flips` are shares; `change` is the median total variation distance of the output from that of the
    network as it is, `large_change` its ninth decile; `divergence` the median Jensen-Shannon divergence of the weights.
    """

    kind: Annotated[str, one_of(KINDS)]
    part: Annotated[str, one_of(PARTS)]
    texts: PositiveInt
    accuracy: Proportion
    flips: Proportion
    change: Proportion
    large_change: Proportion
    divergence: Annotated[float, Meta(ge=0, le=0.6932)]
    language: Literal["english", "spanish"]


_COLUMNS = {
    "kind": "weights",
    "part": "attention",
    "change": "median_change",
    "large_change": "ninth_decile_change",
    "divergence": "median_divergence",
}


def results(language: str, file: Path = FILE) -> tuple[SwappedAttention, ...]:
    """The rows of a language; ModelError where the file is missing or makes no sense."""
    rows = read_rows(
        file,
        SwappedAttention,
        unique=("language", "kind", "part"),
        columns=_COLUMNS,
        covers={"kind": KINDS},
        made_by=MADE_BY,
    )
    return tuple(row for row in rows if row.language == language)
