"""How many parameters famous models have, as published, and the shapes that the formulas need."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..sizes.shape import Shape, bert, gpt, t5, vit
from .table import FOLDER, Columns, Row, Whole, Words, read_table

FAMILIES = ("bert", "gpt", "gpt1", "t5", "vit")
_CHECKED = ("layers", "width", "heads", "each", "hidden")
COLUMNS: Columns = (
    *(Words(name) for name in ("model", "printed_source", "published_source")),
    Words("family", among=FAMILIES, kind="families"),
    Words("note", required=False),
    *(Whole(name) for name in ("year", *_CHECKED, "printed", "published")),
    *(Whole(name, low=0) for name in ("vocabulary", "positions", "patch")),
)


@dataclass(frozen=True)
class PublishedModel:
    """A model as it was published.

    `printed` is what the paper prints, often rounded; `published` the most exact count that somebody published.
    """

    model: str
    shape: Shape
    year: int
    printed: int
    printed_source: str
    published: int
    published_source: str
    note: str


def model_sizes(file: Path = FOLDER / "model_sizes.csv") -> tuple[PublishedModel, ...]:
    """The models in `file`, in its order. ValueError with file and line where a row cannot be right."""
    return tuple(_model(row) for row in read_table(file, COLUMNS, unique=("model",)))


def _model(row: Row) -> PublishedModel:
    of = row.cells
    shape = _shape(of["family"], of)
    for name in _CHECKED:
        if (right := getattr(shape, name)) != of[name]:
            raise ValueError(f"{row.place}: '{name}' is {of[name]}, but a {of['family']} of this size has {right}.")
    named = ("year", "printed", "printed_source", "published", "published_source", "note")
    return PublishedModel(of["model"], shape, *(of[name] for name in named))


def _shape(family: str, of: Mapping[str, Any]) -> Shape:
    layers, width, heads = of["layers"], of["width"], of["heads"]
    if family == "bert":
        return bert(layers, width, heads, vocabulary=of["vocabulary"])
    if family == "t5":
        return t5(layers, width, heads, each=of["each"], hidden=of["hidden"], vocabulary=of["vocabulary"])
    if family == "vit":
        return vit(layers, width, heads, hidden=of["hidden"], patch=of["patch"])
    final = 0 if family == "gpt1" else 1
    return gpt(layers, width, heads, vocabulary=of["vocabulary"], positions=of["positions"], final=final)
