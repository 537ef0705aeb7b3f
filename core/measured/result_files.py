"""How a result file of ours is read: every field is declared, every value is checked, and a wrong one is named."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..places import PROJECT
from ..published.table import Column, Columns, Number, Row, Words, read_table


@dataclass(frozen=True)
class Group:
    """An object of JSON with these fields; None where it is not there, if it is not `required`."""

    name: str
    fields: Sequence["Field"]
    required: bool = True


@dataclass(frozen=True)
class Groups:
    """An object of JSON whose values are objects of one kind: with these names, or with any (at least one).

    None where it is not there, if it is not `required`.
    """

    name: str
    fields: Sequence["Field"]
    names: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True)
class Wholes:
    """A list of so many whole numbers from 0."""

    name: str
    length: int


Field = Column | Group | Groups | Wholes


def share(name: str, *, required: bool = True) -> Number:
    """A number from 0 to 1."""
    return Number(name, high=1.0, required=required)


def error_of(share: float, count: int) -> float:
    """The standard error of a share of so many."""
    return math.sqrt(share * (1 - share) / count)


def read_json(file: Path, fields: Sequence[Field], *, made_by: str) -> dict[str, Any]:
    """The declared fields of a JSON file, nested as they are there; what else stands in it is left out.

    ModelError where the file is missing, is no JSON, or holds a value that cannot be right.
    """
    with naming(file, made_by):
        return _object(json.loads(file.read_text(encoding="utf-8")), fields, "")


def read_rows(
    file: Path, columns: Columns, *, unique: Sequence[str], made_by: str, covers: str = ""
) -> tuple[Row, ...]:
    """The rows of a CSV file, as `core.published.table.read_table` reads them; ModelError instead of its ValueError.

    `covers`: a column in which each of the words that it may hold stands at least once.
    """
    with naming(file, made_by):
        rows = read_table(file, columns, unique=unique)
        allowed = next((column.among for column in columns if isinstance(column, Words) and column.name == covers), ())
        if missing := [word for word in allowed if word not in {row.cells[covers] for row in rows}]:
            raise ValueError(f"there is no row of {', '.join(missing)}")
    return rows


@contextmanager
def naming(file: Path, made_by: str) -> Iterator[None]:
    """Turn what goes wrong with a file (OSError, ValueError) into one ModelError; `made_by` is the command to run."""
    where = file.relative_to(PROJECT) if file.is_relative_to(PROJECT) else file
    again = f"fetch the project again, or make it: {made_by}."
    try:
        yield
    except FileNotFoundError:
        raise ModelError(f"{where} is not there: {again}") from None
    except (OSError, ValueError) as error:
        reason = str(error).removeprefix(f"{file.name}, ").removesuffix(".")
        raise ModelError(f"{where} cannot be read ({reason}): {again}") from error


def _object(value: Any, fields: Sequence[Field], place: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{_quoted(place)} is not an object with names")
    return {field.name: _value(value.get(field.name), field, place) for field in fields}


def _value(value: Any, field: Field, place: str) -> Any:
    """What a field holds, checked; None and "" stand for numbers, groups and words that need not be there."""
    inner = f"{place}.{field.name}".removeprefix(".")
    if value is None:
        if getattr(field, "required", True):
            raise ValueError(f"'{inner}' is missing")
        return "" if isinstance(field, Words) else None
    match field:
        case Group():
            return _object(value, field.fields, inner)
        case Groups():
            return _objects(value, field, inner)
        case Wholes():
            return _wholes(value, field.length, inner)
    return field.read(_as_text(value, field, inner), _quoted(place))


def _objects(value: Any, field: Groups, place: str) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not (names := field.names or tuple(value)):
        raise ValueError(f"'{place}' holds no objects with names")
    if missing := [name for name in names if name not in value]:
        raise ValueError(f"'{place}.{missing[0]}' is missing")
    return {name: _object(value[name], field.fields, f"{place}.{name}") for name in names}


def _wholes(value: Any, length: int, place: str) -> tuple[int, ...]:
    if not isinstance(value, list) or [type(each) for each in value] != [int] * length or min(value) < 0:
        raise ValueError(f"'{place}' is not {length} whole numbers from 0")
    return tuple(value)


def _as_text(value: Any, field: Column, place: str) -> str:
    """A value as it would stand in a cell of a table, so that one check serves both; a whole number may be a name."""
    if type(value) not in ((str, int) if isinstance(field, Words) else (int, float)):
        raise ValueError(f"'{place}' is {json.dumps(value)[:40]}")
    return str(value)


def _quoted(place: str) -> str:
    return f"'{place}'" if place else "the whole"
