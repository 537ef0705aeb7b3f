"""Scaling laws with the coefficients that papers print for them."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated

from ..scaling import LAWS, Law
from .table import FOLDER, PositiveFloat, Text, one_of, read_table


@dataclass(frozen=True)
class PublishedLaw:
    """A law as a paper fitted it to its own runs; `kind` is one of LAWS."""

    kind: str
    paper: str
    law: Law
    source: str


@dataclass(frozen=True)
class _Row:
    law: Annotated[str, one_of(tuple(LAWS))]
    paper: Text
    coefficient: Text
    value: PositiveFloat
    source: Text


def published_laws(file: Path = FOLDER / "law_coefficients.csv") -> tuple[PublishedLaw, ...]:
    """The laws in `file`, whose rows stand together; ValueError where a row is wrong or a coefficient is missing."""
    rows = read_table(file, _Row, unique=("law", "paper", "coefficient"))
    laws = []
    line = 1
    for (kind, paper), group in groupby(rows, key=lambda row: (row.law, row.paper)):
        coefficients = list(group)
        values = {row.coefficient: row.value for row in coefficients}
        line += len(values)
        if set(values) != set(names := LAWS[kind].names()):
            raise ValueError(
                f"{file.name}, line {line}: the law {kind} has the coefficients {', '.join(names)}, "
                f"not {', '.join(values)}."
            )
        laws.append(PublishedLaw(kind, paper, LAWS[kind](**values), coefficients[-1].source))
    return tuple(laws)
