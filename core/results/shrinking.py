"""Quality, size and speed of this project's networks after pruning, rounding or removing parts of them."""

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
    """A smaller network beside the whole one.

    `bytes`: of its parameters in memory, or on disk where a subclass says so; `milliseconds` and `whole_milliseconds`:
    for one input, the smaller and the whole network measured in turns; `questions`: on how many `quality` was measured.
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
    def is_full(self) -> bool:
        """Whether this is the whole network."""
        return self.variant == "whole"

    @property
    def time(self) -> float:
        """Its time as a share of the whole network's."""
        return self.milliseconds / self.whole_milliseconds

    @property
    def error(self) -> float | None:
        """The standard error of an accuracy, by the choice of questions; None for other measures."""
        if self.measure != "accuracy":
            return None
        return error_of(self.quality, self.questions)

    def quality_loss(self, intact: "Variant") -> float:
        """The relative loss of quality, for bits their relative increase; below 0 if it is better than the intact."""
        difference = self.quality - intact.quality
        return (difference if self.measure == "bits" else -difference) / intact.quality + 0.0  # no "-0%"


@dataclass(frozen=True)
class Pruned(Variant):
    """Without some heads; `order`: the order in which they were pruned; `trained`: steps of training afterwards."""

    order: Text
    removed: NonNegativeInt
    heads: PositiveInt
    trained: NonNegativeInt

    @property
    def share(self) -> float:
        """The share of the heads that were pruned."""
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
    """With a `share` of small weights set to zero (`way` "weights"), or of its neurons removed ("neurons").

    `bytes` on disk if only non-zero weights are stored; `sparse_milliseconds` with sparse matrices (CSR).
    """

    way: Literal["weights", "neurons"]
    share: Proportion
    sparse_milliseconds: PositiveFloat | None


@dataclass(frozen=True)
class Combined(Variant):
    """Made smaller in several steps: a `student` or "", shares of `heads` and `neurons` pruned, a `number_format`."""

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
    """The rows of a model in the table of `kind`, the whole network first; ModelError where the file is wrong."""
    name = _TABLES[kind]
    rows = read_rows(
        file or FOLDER / f"{name}.csv",
        kind,
        unique=("model", "variant"),
        made_by=f"python -m training.{name.replace('_', '.', 1)} --data PATH",
    )
    return tuple(row for row in rows if row.model == model)
