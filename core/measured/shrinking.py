"""Networks of ours after something was taken away: how good they are, how large and how fast."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from ..published.table import Columns, Number, Whole, Words
from ..shrinking.number_formats import FORMATS
from .result_files import error_of, read_rows, share

FOLDER = Path(__file__).parent
MEASURES = ("bits", "accuracy", "BLEU")  # of the first, less is better


@dataclass(frozen=True)
class Variant:
    """A network as it was measured, beside the whole one.

    `bytes` of its numbers as they are computed with, or as they would lie on a disk where a subclass says so;
    `whole_milliseconds` of the whole network, in turns with it; `questions`: on how many the quality was measured.
    """

    model: str
    variant: str
    parameters: int
    bytes: int
    milliseconds: float
    whole_milliseconds: float
    quality: float
    measure: str
    questions: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing was taken away."""
        return self.variant == "whole"

    @property
    def time(self) -> float:
        """Of the whole network's."""
        return self.milliseconds / self.whole_milliseconds

    @property
    def error(self) -> float | None:
        """The standard error of a share of right answers, by the choice of questions; None of other measures."""
        if self.measure != "accuracy":
            return None
        return error_of(self.quality, self.questions)

    def lost(self, whole: "Variant") -> float:
        """The share of the whole's quality that is lost; of bits, how many more there are. Below 0 if it is better."""
        apart = self.quality - whole.quality
        return (apart if self.measure == "bits" else -apart) / whole.quality + 0.0  # no "-0%"


@dataclass(frozen=True)
class Pruned(Variant):
    """Without some heads; `order`: in which they were taken out; `trained`: for how many steps afterwards."""

    order: str
    removed: int
    heads: int
    trained: int

    @property
    def share(self) -> float:
        """Of the heads that are gone."""
        return self.removed / self.heads


@dataclass(frozen=True)
class Rounding(Variant):
    """With rounded weights: `bytes` on disk, `memory` while it computes in the number format `computed`.

    `grouping`: which weights share a step ("" where nothing is rounded to levels); `layer`: the only one that was
    rounded, or None.
    """

    bits: int
    grouping: str
    layer: int | None
    computed: str
    memory: int


@dataclass(frozen=True)
class Zeroed(Variant):
    """With a `share` of small weights set to zero (`way` "weights"), or of its neurons taken out ("neurons").

    `bytes` on disk if only what is not zero is written; `sparse_milliseconds` with matrices of compressed rows.
    """

    way: str
    share: float
    sparse_milliseconds: float | None


@dataclass(frozen=True)
class Combined(Variant):
    """Made smaller in several steps: a `student` or "", shares of `heads` and `neurons` gone, a `number_format`."""

    student: str
    heads: float
    neurons: float
    number_format: str


V = TypeVar("V", bound=Variant)

_COLUMNS: Columns = (
    Words("model"),
    Words("variant"),
    Whole("parameters"),
    Whole("bytes"),
    Number("milliseconds", required=True, open=True),
    Number("whole_milliseconds", required=True, open=True),
    Number("quality", required=True),
    Words("measure", among=MEASURES),
    Whole("questions"),
)
# By kind of row: the table, the name of its script, and the columns that it has besides.
_TABLES: dict[type[Variant], tuple[str, Columns]] = {
    Pruned: ("shrinking_heads", (Words("order"), Whole("removed", low=0), Whole("heads"), Whole("trained", low=0))),
    Rounding: (
        "shrinking_bits",
        (
            Whole("bits"),
            Words("grouping", required=False),
            Whole("layer", low=0, required=False),
            Words("computed", among=FORMATS),
            Whole("memory"),
        ),
    ),
    Zeroed: (
        "shrinking_weights",
        (Words("way", among=("weights", "neurons")), share("share"), Number("sparse_milliseconds", open=True)),
    ),
    Combined: (
        "shrinking_combined",
        (Words("student", required=False), share("heads"), share("neurons"), Words("number_format", among=FORMATS)),
    ),
}


def measured(kind: type[V], model: str, file: Path | None = None) -> tuple[V, ...]:
    """The rows of a model in the table of a kind, the whole network first; ModelError where the file makes no sense."""
    name, more = _TABLES[kind]
    rows = read_rows(
        file or FOLDER / f"{name}.csv",
        (*_COLUMNS, *more),
        unique=("model", "variant"),
        made_by=f"python -m training.{name} --data PATH",
        covers="model",
    )
    names = [field.name for field in fields(kind)]

    def made(cells: Mapping[str, Any]) -> V:
        return kind(**{name: cells[name] for name in names})

    return tuple(made(row.cells) for row in rows if row.cells["model"] == model)
