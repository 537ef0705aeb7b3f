"""Heads of keys and values, and attention windows, of famous decoders: what the size of a cache depends on."""

from dataclasses import dataclass
from pathlib import Path

from ..generation.shared_heads import CacheShape
from .table import FOLDER, NonNegativeInt, PositiveInt, Text, read_table


@dataclass(frozen=True)
class PublishedHeads:
    """A published decoder."""

    model: str
    year: int
    heads: CacheShape
    source: str


@dataclass(frozen=True)
class _Row:
    model: Text
    year: PositiveInt
    layers: PositiveInt
    heads: PositiveInt
    key_heads: PositiveInt
    each: PositiveInt
    window: NonNegativeInt
    source: Text

    def __post_init__(self):
        self.kept_heads()

    def kept_heads(self) -> CacheShape:
        return CacheShape(self.layers, self.heads, self.key_heads, self.each, self.window)


def key_value_heads(file: Path = FOLDER / "key_value_heads.csv") -> tuple[PublishedHeads, ...]:
    """The models in `file`, in its order. ValueError with file and line where a row cannot be right."""
    rows = read_table(file, _Row, unique=("model",))
    return tuple(PublishedHeads(row.model, row.year, row.kept_heads(), row.source) for row in rows)
