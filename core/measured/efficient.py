"""Character models with each kind of efficient attention, trained alike: made by training/efficient_characters.py."""

from dataclasses import dataclass
from pathlib import Path

from core.published.table import SOURCE, Column, Number, Whole, Words, read_as

NEXT, HIDDEN = "next", "hidden"  # tasks: to predict what follows, and what is hidden in the midst of a text
EFFICIENT_CHARACTERS = Path(__file__).parent / "efficient_characters.csv"


@dataclass(frozen=True)
class EfficientRun:
    """A trained model: held-out loss in bits a character, and the products of one head in a text of `context`."""

    task: str
    variant: str
    settings: str
    context: int
    parameters: int
    multiplications: int
    steps: int
    bits: float
    seconds: int
    hardware: str
    source: str


_COLUMNS: tuple[Column, ...] = (
    Words("task", among=(NEXT, HIDDEN), kind="tasks"),
    Words("variant"),
    Words("settings"),
    *(Whole(name) for name in ("context", "parameters", "multiplications", "steps")),
    Number("bits", high=8.0, required=True, open=True),
    Whole("seconds", low=0),
    Words("hardware"),
    SOURCE,
)


def efficient_characters(file: Path = EFFICIENT_CHARACTERS) -> tuple[EfficientRun, ...]:
    """The runs that were made, in their order; ValueError where a row is wrong."""
    return read_as(EfficientRun, file, _COLUMNS, unique=("task", "variant"))
