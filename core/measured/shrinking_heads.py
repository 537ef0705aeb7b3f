"""Four networks with fewer and fewer heads: how good they are, how large and how fast."""

from dataclasses import dataclass, fields
from pathlib import Path

from core.measured.result_files import read_rows
from core.published.table import Columns, Number, Whole, Words

FILE = Path(__file__).with_name("shrinking_heads.csv")
MADE_BY = "python -m training.shrinking_heads --data PATH"
MODELS = ("gpt-books", "bert-tasks", "vit-tiny-imagenet", "translation")
MEASURES = ("bits", "accuracy", "BLEU")  # of the first, less is better

_COLUMNS: Columns = (
    Words("model", among=MODELS),
    Words("variant"),
    Whole("parameters"),
    Whole("bytes"),
    Number("milliseconds", required=True, open=True),
    Number("quality", required=True),
    Words("measure", among=MEASURES),
    Words("order"),
    Whole("removed", low=0),
    Whole("heads"),
    Number("whole_milliseconds", required=True, open=True),
)


@dataclass(frozen=True)
class Pruned:
    """A network without some heads; `order`: in which they were taken out. `whole_milliseconds`: of all, in turns."""

    model: str
    order: str
    removed: int
    heads: int
    parameters: int
    bytes: int
    milliseconds: float
    whole_milliseconds: float
    quality: float
    measure: str

    @property
    def share(self) -> float:
        """Of the heads that are gone."""
        return self.removed / self.heads

    def lost(self, whole: "Pruned") -> float:
        """The share of the whole's quality that is lost; of bits, how many more there are. Below 0 if it is better."""
        apart = self.quality - whole.quality
        return (apart if self.measure == "bits" else -apart) / whole.quality


def pruned(model: str, file: Path = FILE) -> tuple[Pruned, ...]:
    """The whole network first, then the others; ModelError where the file is missing or makes no sense."""
    rows = read_rows(file, _COLUMNS, unique=("model", "variant"), made_by=MADE_BY, covers="model")
    names = [field.name for field in fields(Pruned)]
    return tuple(Pruned(**{name: row.cells[name] for name in names}) for row in rows if row.cells["model"] == model)
