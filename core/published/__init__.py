"""Published figures with their sources: the one place that reads and validates them."""

import csv
from dataclasses import dataclass
from pathlib import Path

from core.published.translation import PublishedTranslator, published_translators
from core.sizes.shape import Shape, bert, gpt, t5, vit

__all__ = ["PublishedModel", "PublishedTranslator", "model_sizes", "published_translators"]

FOLDER = Path(__file__).parent
FAMILIES = ("bert", "gpt", "gpt1", "t5", "vit")

_NUMBERS = ("year", "layers", "width", "heads", "each", "hidden", "printed", "published")
_MAY_BE_ZERO = ("vocabulary", "positions", "patch")
_WORDS = ("model", "family", "printed_source", "published_source")
COLUMNS = {*_NUMBERS, *_MAY_BE_ZERO, *_WORDS, "note"}


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
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        if missing := COLUMNS - set(rows.fieldnames or ()):
            raise ValueError(f"{file.name}, line 1: the columns {', '.join(sorted(missing))} are missing.")
        return tuple(_read(row, f"{file.name}, line {rows.line_num}") for row in rows)


def _read(row: dict[str, str | None], place: str) -> PublishedModel:
    for name in _WORDS:
        if not (row[name] or "").strip():
            raise ValueError(f"{place}: '{name}' is empty; every row names it.")
    numbers = {name: _number(row, name, place) for name in (*_NUMBERS, *_MAY_BE_ZERO)}
    words = {name: (row[name] or "").strip() for name in (*_WORDS, "note")}
    if words["family"] not in FAMILIES:
        raise ValueError(f"{place}: '{words['family']}' is none of the families {', '.join(FAMILIES)}.")
    shape = _shape(words["family"], numbers)
    for name in ("layers", "width", "heads", "each", "hidden"):
        if (right := getattr(shape, name)) != numbers[name]:
            raise ValueError(f"{place}: '{name}' is {numbers[name]}, but a {words['family']} of this size has {right}.")
    return PublishedModel(
        words["model"],
        shape,
        numbers["year"],
        numbers["printed"],
        words["printed_source"],
        numbers["published"],
        words["published_source"],
        words["note"],
    )


def _number(row: dict[str, str | None], name: str, place: str) -> int:
    text, least = (row[name] or "").strip(), 0 if name in _MAY_BE_ZERO else 1
    if not text.isdecimal() or int(text) < least:
        raise ValueError(f"{place}: '{name}' is a whole number from {least}, not '{text}'.")
    return int(text)


def _shape(family: str, of: dict[str, int]) -> Shape:
    layers, width, heads = of["layers"], of["width"], of["heads"]
    if family == "bert":
        return bert(layers, width, heads, vocabulary=of["vocabulary"])
    if family == "t5":
        return t5(layers, width, heads, each=of["each"], hidden=of["hidden"], vocabulary=of["vocabulary"])
    if family == "vit":
        return vit(layers, width, heads, hidden=of["hidden"], patch=of["patch"])
    final = 0 if family == "gpt1" else 1
    return gpt(layers, width, heads, vocabulary=of["vocabulary"], positions=of["positions"], final=final)
