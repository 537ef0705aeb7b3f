"""How often the bright spot is the right one, of every network of words and pictures: grounding.csv."""

from dataclasses import dataclass
from pathlib import Path

from ..errors import ModelError
from ..grounding.word_maps import WAYS
from ..published.table import Columns, Whole, Words
from ..scenes.sentences import KINDS
from .result_files import read_rows, share

FILE = Path(__file__).parent / "grounding.csv"
MADE_BY = "python -m training.grounding"
ALL, BASELINE = "all", "baseline"


@dataclass(frozen=True)
class Grounded:
    """Of one network and one way to tell, over words of one kind (ALL: of every kind).

    `pointing`: how often the brightest place lies inside of what the word means; `inside`: the share of the map that
    does; each a mean with its standard error over `words`. Model BASELINE: the ways "centre" and "random".
    """

    model: str
    way: str
    kind: str
    words: int
    pointing: float
    pointing_error: float
    inside: float
    inside_error: float


_COLUMNS: Columns = (
    Words("model"),
    Words("way", among=(*WAYS, "centre", "random"), kind="ways to tell"),
    Words("kind", among=(ALL, *KINDS), kind="kinds of word"),
    Whole("words"),
    *(share(name) for name in ("pointing", "pointing_error", "inside", "inside_error")),
)


def rows(file: Path = FILE) -> tuple[Grounded, ...]:
    """All rows; ModelError where the file is missing or makes no sense."""
    found = read_rows(file, _COLUMNS, unique=("model", "way", "kind"), made_by=MADE_BY)
    return tuple(Grounded(**row.cells) for row in found)


def grounded(model: str) -> tuple[Grounded, ...]:
    """The rows of networks whose names begin so, and the baselines; ModelError where there is no such network."""
    found = tuple(row for row in rows() if row.model.startswith(model) or row.model == BASELINE)
    if all(row.model == BASELINE for row in found):
        raise ModelError(f"Nobody has measured '{model}' yet: {MADE_BY}.")
    return found
