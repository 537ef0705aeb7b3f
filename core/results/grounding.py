"""Results of the pointing game for all networks of words and pictures: grounding.csv."""

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
class PointingResult:
    """One network and one kind of map (`way`), over words of one kind (ALL: of every kind).

    `pointing`: how often the largest value of the map lies inside of what the word refers to; `inside`: the share of
    the map that does; each a mean over `words` with its standard error. Model BASELINE: the ways "centre" and "random".
    """

    model: Text
    way: Annotated[str, one_of((*WAYS, "centre", "random"))]
    kind: Annotated[str, one_of((ALL, *KINDS))]
    words: PositiveInt
    pointing: Proportion
    pointing_error: Proportion
    inside: Proportion
    inside_error: Proportion


def rows(file: Path = FILE) -> tuple[PointingResult, ...]:
    """All rows; ModelError where the file is missing or wrong."""
    return read_rows(file, PointingResult, unique=("model", "way", "kind"), made_by=MADE_BY)


def grounded(model: str) -> tuple[PointingResult, ...]:
    """The rows of networks whose names begin with `model`, and the baselines; ModelError where there is none."""
    measured = tuple(row for row in rows() if row.model.startswith(model) or row.model == BASELINE)
    if all(row.model == BASELINE for row in measured):
        raise ModelError(f"Nobody has measured '{model}' yet: {MADE_BY}.")
    return measured
