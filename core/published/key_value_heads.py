"""How many heads of keys and values famous decoders have, and how far they look back: what a cache depends on."""

from dataclasses import dataclass
from pathlib import Path

from ..generation.shared_heads import KeptHeads
from .table import FOLDER, SOURCE, Columns, Whole, Words, read_table

_SIZES = ("layers", "heads", "key_heads", "each", "window")
_COLUMNS: Columns = (Words("model"), *(Whole(name) for name in ("year", *_SIZES[:-1])), Whole("window", low=0), SOURCE)


@dataclass(frozen=True)
class PublishedHeads:
    """A decoder as it was published."""

    model: str
    year: int
    heads: KeptHeads
    source: str


def key_value_heads(file: Path = FOLDER / "key_value_heads.csv") -> tuple[PublishedHeads, ...]:
    """The models in `file`, in its order. ValueError with file and line where a row cannot be right."""
    found = []
    for row in read_table(file, _COLUMNS, unique=("model",)):
        of = row.cells
        try:
            heads = KeptHeads(*(of[name] for name in _SIZES))
        except ValueError as error:
            raise ValueError(f"{row.place}: {error}") from error
        found.append(PublishedHeads(of["model"], of["year"], heads, of["source"]))
    return tuple(found)
