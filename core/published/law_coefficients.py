"""Scaling laws with the coefficients that papers print for them."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ..scaling import LAWS, Law
from .table import FOLDER, SOURCE, Columns, Number, Words, read_table


@dataclass(frozen=True)
class PublishedLaw:
    """A law as a paper fitted it to its own runs; `kind` is one of LAWS."""

    kind: str
    paper: str
    law: Law
    source: str


_COLUMNS: Columns = (
    Words("law", among=tuple(LAWS), kind="laws"),
    *(Words(name) for name in ("paper", "coefficient")),
    Number("value", required=True, open=True),
    SOURCE,
)


def published_laws(file: Path = FOLDER / "law_coefficients.csv") -> tuple[PublishedLaw, ...]:
    """The laws in `file`, whose rows stand together; ValueError where a row is wrong or a coefficient is missing."""
    rows = read_table(file, _COLUMNS, unique=("law", "paper", "coefficient"))
    found = []
    for (kind, paper), group in groupby(rows, key=lambda row: (row.cells["law"], row.cells["paper"])):
        *_, last = of_one = list(group)
        values = {row.cells["coefficient"]: row.cells["value"] for row in of_one}
        if set(values) != set(LAWS[kind].names()):
            needed = ", ".join(LAWS[kind].names())
            raise ValueError(f"{last.place}: the law {kind} has the coefficients {needed}, not {', '.join(values)}.")
        found.append(PublishedLaw(kind, paper, LAWS[kind](**values), last.cells["source"]))
    return tuple(found)
