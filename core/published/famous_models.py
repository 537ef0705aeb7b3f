"""Published numbers of parameters of famous models, with their shapes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ..costs.shape import Shape, bert, gpt, t5, vit
from .table import FOLDER, NonNegativeInt, PositiveInt, Text, one_of, read_table

FAMILIES = ("bert", "gpt", "gpt1", "t5", "vit")


@dataclass(frozen=True)
class PublishedModel:
    """A published model.

    `printed`: its parameters as the paper prints them, often rounded; `published`: the most exact published count.
    """

    model: str
    shape: Shape
    year: int
    printed: int
    printed_source: str
    published: int
    published_source: str
    note: str


@dataclass(frozen=True)
class _Row:
    model: Text
    family: Annotated[str, one_of(FAMILIES)]
    year: PositiveInt
    layers: PositiveInt
    width: PositiveInt
    heads: PositiveInt
    each: PositiveInt
    hidden: PositiveInt
    vocabulary: NonNegativeInt
    positions: NonNegativeInt
    patch: NonNegativeInt
    printed: PositiveInt
    printed_source: Text
    published: PositiveInt
    published_source: Text
    note: str

    def __post_init__(self):
        for name in ("layers", "width", "heads", "each", "hidden"):
            right = getattr(self.shape, "head_dim" if name == "each" else name)
            if right != (wrong := getattr(self, name)):
                raise ValueError(f"'{name}' is {wrong}, but a {self.family} of this size has {right}")

    @property
    def shape(self) -> Shape:
        sizes = (self.layers, self.width, self.heads)
        if self.family == "bert":
            return bert(*sizes, vocabulary=self.vocabulary)
        if self.family == "t5":
            return t5(*sizes, head_dim=self.each, hidden=self.hidden, vocabulary=self.vocabulary)
        if self.family == "vit":
            return vit(*sizes, hidden=self.hidden, patch=self.patch)
        final = 0 if self.family == "gpt1" else 1
        return gpt(*sizes, vocabulary=self.vocabulary, positions=self.positions, final=final)


def model_sizes(file: Path = FOLDER / "model_sizes.csv") -> tuple[PublishedModel, ...]:
    """The models in `file`, in its order. ValueError with file and line where a row cannot be right."""
    return tuple(
        PublishedModel(
            row.model,
            row.shape,
            row.year,
            row.printed,
            row.printed_source,
            row.published,
            row.published_source,
            row.note,
        )
        for row in read_table(file, _Row, unique=("model",))
    )
