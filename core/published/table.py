"""How a published table is read: every column is declared, every row is checked, and a wrong one is named."""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

Made = TypeVar("Made")
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Words:
    """A column of text. `among`: the only ones it may hold; `kind`: what they are called in the plural."""

    name: str
    required: bool = True
    among: tuple[str, ...] = ()
    kind: str = "words"

    def read(self, text: str, place: str) -> str:
        """The text; ValueError where it is missing or none of those allowed."""
        if self.required and not text:
            raise ValueError(f"{place}: '{self.name}' is empty; every row names it.")
        if self.among and text not in self.among:
            raise ValueError(f"{place}: '{text}' is none of the {self.kind} {', '.join(self.among)}.")
        return text


@dataclass(frozen=True)
class Number:
    """A column of numbers from `low` to `high`, or above `low` where it is `open`; thousands may have commas."""

    name: str
    low: float = 0.0
    high: float = math.inf
    required: bool = False
    open: bool = False  # whether `low` itself is no value

    def read(self, text: str, place: str) -> float | None:
        """The number, None where the cell is empty; ValueError where it is none or out of range."""
        if not text and not self.required:
            return None
        try:
            number = float(text.replace(",", ""))
        except ValueError:
            number = math.nan
        if not self.low <= number <= self.high or math.isinf(number) or (self.open and number == self.low):
            end = "on" if math.isinf(self.high) else f"to {self.high:g}"
            empty = "" if self.required else ", or empty"
            raise ValueError(f"{place}: '{self.name}' is a number from {self.low:g} {end}{empty}, not '{text}'.")
        return number


@dataclass(frozen=True)
class Whole:
    """A column of whole numbers from `low` to `high`, in every row if `required`."""

    name: str
    low: int = 1
    high: int | None = None
    required: bool = True

    def read(self, text: str, place: str) -> int | None:
        """The number, None where the cell is empty; ValueError where it is none or out of range."""
        if not text and not self.required:
            return None
        whole = text.isascii() and text.isdecimal()
        if not whole or int(text) < self.low or (self.high is not None and int(text) > self.high):
            end = "" if self.high is None else f" to {self.high}"
            raise ValueError(f"{place}: '{self.name}' is a whole number from {self.low}{end}, not '{text}'.")
        return int(text)


@dataclass(frozen=True)
class Day:
    """A column of dates such as 2017-06-12, in every row."""

    name: str

    def read(self, text: str, place: str) -> date:
        """The date; ValueError where it is none."""
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise ValueError(f"{place}: '{self.name}' is a date such as 2017-06-12, not '{text}'.") from None


Column = Words | Number | Whole | Day
Columns = tuple[Column, ...]
SOURCE = Words("source")
NOTE = Words("note", required=False)  # what is wrong with a figure that is quoted as its source prints it


@dataclass(frozen=True)
class Row:
    """The cells of a row by their columns, and where it stands: what an error says first."""

    cells: Mapping[str, Any]
    place: str


def read_table(file: Path, columns: Sequence[Column], *, unique: Sequence[str] = ()) -> tuple[Row, ...]:
    """The rows of `file`, in its order; ValueError with file and line where one cannot be right.

    `unique`: the columns that together name a row; no two rows share them.
    """
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        if missing := {column.name for column in columns} - set(rows.fieldnames or ()):
            raise ValueError(f"{file.name}, line 1: the columns {', '.join(sorted(missing))} are missing.")
        found: list[Row] = []
        lines_of: dict[tuple[Any, ...], int] = {}
        for cells in rows:
            place = f"{file.name}, line {rows.line_num}"
            if None in cells or None in cells.values():
                raise ValueError(f"{place}: the row has not as many cells as line 1 has columns.")
            row = Row({column.name: column.read(cells[column.name].strip(), place) for column in columns}, place)
            if unique:
                name = tuple(row.cells[column] for column in unique)
                if name in lines_of:
                    told = ", ".join(str(part) for part in name)
                    raise ValueError(f"{place}: '{told}' stands in line {lines_of[name]} already.")
                lines_of[name] = rows.line_num
            found.append(row)
    if not found:
        raise ValueError(f"{file.name}, line 1: no row follows.")
    return tuple(found)


def read_as(
    make: Callable[..., Made], file: Path, columns: Sequence[Column], *, unique: Sequence[str]
) -> tuple[Made, ...]:
    """The rows of `file`, each made by `make` from its cells in the order of `columns`; errors as of `read_table`."""
    return tuple(make(*row.cells.values()) for row in read_table(file, columns, unique=unique))
