"""Networks of ours after something was taken away: how good they are, how large and how fast."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from ..published.table import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, Proportion, Text, one_of
from ..shrinking.number_formats import FORMATS
from .result_files import error_of, read_rows

FOLDER = Path(__file__).parent
MEASURES = ("bits", "accuracy", "BLEU")  # of the first, less is better
_Format = Annotated[str, one_of(tuple(FORMATS))]


@dataclass(frozen=True)
class Variant:
    """A network as it was measured, beside the whole one.

    `bytes` of its numbers as they are computed with, or as they would lie on a disk where a subclass says so;
    `whole_milliseconds` of the whole network, in turns with it; `questions`: on how many the quality was measured.
    """

    model: Text
    variant: Text
    parameters: PositiveInt
    bytes: PositiveInt
    milliseconds: PositiveFloat
    whole_milliseconds: PositiveFloat
    quality: NonNegativeFloat
    measure: Annotated[str, one_of(MEASURES)]
    questions: PositiveInt

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

    order: Text
    removed: NonNegativeInt
    heads: PositiveInt
    trained: NonNegativeInt

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

    bits: PositiveInt
    grouping: str
    layer: NonNegativeInt | None
    computed: _Format
    memory: PositiveInt


@dataclass(frozen=True)
class Zeroed(Variant):
    """With a `share` of small weights set to zero (`way` "weights"), or of its neurons taken out ("neurons").

    `bytes` on disk if only what is not zero is written; `sparse_milliseconds` with matrices of compressed rows.
    """

    way: Literal["weights", "neurons"]
    share: Proportion
    sparse_milliseconds: PositiveFloat | None


@dataclass(frozen=True)
class Combined(Variant):
    """Made smaller in several steps: a `student` or "", shares of `heads` and `neurons` gone, a `number_format`."""

    student: str
    heads: Proportion
    neurons: Proportion
    number_format: _Format


V = TypeVar("V", bound=Variant)

# By kind of row: the name of its table and script.
_TABLES: dict[type[Variant], str] = {
    Pruned: "shrinking_heads",
    Rounding: "shrinking_bits",
    Zeroed: "shrinking_weights",
    Combined: "shrinking_combined",
}


def measured(kind: type[V], model: str, file: Path | None = None) -> tuple[V, ...]:
    """The rows of a model in the table of a kind, the whole network first; ModelError where the file makes no sense."""
    name = _TABLES[kind]
    rows = read_rows(
        file or FOLDER / f"{name}.csv",
        kind,
        unique=("model", "variant"),
        made_by=f"python -m training.{name.replace('_', '.', 1)} --data PATH",
    )
    return tuple(row for row in rows if row.model == model)
