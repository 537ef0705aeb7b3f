"""Readers of this project's result files: typed classes declare their shape, msgspec checks each value."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import GenericAlias, MappingProxyType
from typing import Any, TypedDict, TypeVar

from ..paths import naming
from ..published.table import Row, read_table, validated

Kind = TypeVar("Kind")


def error_of(share: float, count: int) -> float:
    """The standard error of a share of `count` cases."""
    return math.sqrt(share * (1 - share) / count)


def object_of(fields: Mapping[str, Any]) -> type[dict]:
    """The type of a JSON object with these fields, whose names need not be Python identifiers.

    A field that may be missing has a type `NotRequired[...]`; other fields of the object are left out.
    """
    return TypedDict("Object", dict(fields))  # type: ignore[operator, misc]


def objects_of(kind: type) -> Any:
    """The type of a JSON object with any names, each of whose values is of the type `kind`."""
    return GenericAlias(dict, (str, kind))


def read_json(file: Path, kind: type[Kind], *, made_by: str) -> Kind:
    """Read a JSON file as an instance of a dataclass or of `object_of(...)`; undeclared fields are ignored.

    ModelError where the file is missing, is no JSON, or holds an invalid value; it names `made_by`, the command that
    writes the file.
    """
    with naming(file, made_by):
        return validated(json.loads(file.read_text(encoding="utf-8")), kind)


def read_rows(
    file: Path,
    row_type: type[Row],
    *,
    unique: Sequence[str],
    made_by: str,
    columns: Mapping[str, str | Sequence[str]] = MappingProxyType({}),
    covers: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> tuple[Row, ...]:
    """Read a CSV file with `core.published.table.read_table`; ModelError instead of its ValueError.

    `covers`: by field, the words of which each must stand in at least one row.
    """
    with naming(file, made_by):
        rows = read_table(file, row_type, unique=unique, columns=columns)
        for field, words in covers.items():
            if missing := [word for word in words if word not in {getattr(row, field) for row in rows}]:
                raise ValueError(f"there is no row of {', '.join(missing)}")
    return rows
