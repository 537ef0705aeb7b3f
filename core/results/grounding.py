"""How often the bright spot is the right one, of every network of words and pictures: grounding.csv."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ..attribution.word_maps import WAYS
from ..errors import ModelError
from ..published.table import PositiveInt, Proportion, Text, one_of
from ..scenes.sentences import KINDS
from .result_files import read_rows

FILE = Path(__file__).parent / "grounding.csv"
MADE_BY = "python -m training.measurements.pointing_game"
ALL, BASELINE = "all", "baseline"


@dataclass(frozen=True)
class Grounded:
    """Of one network and one way to tell, over words of one kind (ALL: of every kind).

    `pointing`: how often the brightest place lies inside of what the word means; `inside`: the share of the map that
    does; each a mean with its standard error over `words`. Model BASELINE: the ways "centre" and "random".
    """

    model: Text
    way: Annotated[str, one_of((*WAYS, "centre", "random"))]
    kind: Annotated[str, one_of((ALL, *KINDS))]
    words: PositiveInt
    pointing: Proportion
    pointing_error: Proportion
    inside: Proportion
    inside_error: Proportion


def rows(file: Path = FILE) -> tuple[Grounded, ...]:
    """All rows; ModelError where the file is missing or makes no sense."""
    return read_rows(file, Grounded, unique=("model", "way", "kind"), made_by=MADE_BY)


def grounded(model: str) -> tuple[Grounded, ...]:
    """The rows of networks whose names begin so, and the baselines; ModelError where there is no such network."""
    measured = tuple(row for row in rows() if row.model.startswith(model) or row.model == BASELINE)
    if all(row.model == BASELINE for row in measured):
        raise ModelError(f"Nobody has measured '{model}' yet: {MADE_BY}.")
    return measured
