"""What fewer bits cost: quality, bytes and time of networks with rounded weights."""

from dataclasses import dataclass
from pathlib import Path

from core.measured.result_files import read_rows
from core.published.table import Columns, Number, Whole, Words

MADE_BY = "python -m training.shrinking_bits --data PATH"
TABLE = Path(__file__).parent / "shrinking_bits.csv"

_COLUMNS: Columns = (
    Words("model", among=("bert-tasks", "gpt-books", "vit-tiny-imagenet")),
    Words("variant"),
    Whole("parameters"),
    Whole("bytes"),
    Number("milliseconds", open=True),
    Number("quality", required=True),
    Words("measure", among=("accuracy", "bits")),
    Whole("bits"),
    Words("grouping", required=False),
    Words("layer", required=False),
)


@dataclass(frozen=True)
class Rounding:
    """A network as it was measured: `bits` 32 is the whole one; `layer` the only one rounded, or None.

    `quality` is a share of right answers where `measure` is accuracy, else bits a token, where less is better.
    """

    variant: str
    bytes: int
    milliseconds: float | None
    quality: float
    measure: str
    bits: int
    layer: int | None


def roundings(model: str, file: Path = TABLE) -> tuple[Rounding, ...]:
    """The whole network first; empty for one that was not measured; ModelError where the file makes no sense."""
    rows = read_rows(file, _COLUMNS, unique=("model", "variant"), made_by=MADE_BY, covers="model")
    return tuple(
        Rounding(
            variant=each["variant"],
            bytes=each["bytes"],
            milliseconds=each["milliseconds"],
            quality=each["quality"],
            measure=each["measure"],
            bits=each["bits"],
            layer=int(each["layer"]) if each["layer"] else None,
        )
        for each in (row.cells for row in rows)
        if each["model"] == model
    )
