"""How often the bright spot is the right one, of every network of words and pictures: grounding.csv."""

from dataclasses import dataclass
from pathlib import Path

from core.published.table import Columns, Number, Whole, Words, read_as

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
    *(Words(name) for name in ("model", "way", "kind")),
    Whole("words"),
    *(Number(name, high=1.0, required=True) for name in ("pointing", "pointing_error", "inside", "inside_error")),
)


def grounded(model: str = "", file: Path = FILE) -> tuple[Grounded, ...]:
    """The rows of a network whose name begins so, and the baselines; () while nobody has measured."""
    if not file.exists():
        return ()
    rows = read_as(Grounded, file, _COLUMNS, unique=("model", "way", "kind"))
    return tuple(row for row in rows if row.model.startswith(model) or row.model == BASELINE)
