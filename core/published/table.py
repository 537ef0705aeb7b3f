"""How a table is read: a frozen dataclass is the shape of a row, and msgspec checks each cell by its field's type."""

import csv
import json
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from msgspec import Meta, ValidationError, convert

Row = TypeVar("Row")
Kind = TypeVar("Kind")
FOLDER = Path(__file__).parent

_LARGEST = sys.float_info.max  # a bound that keeps infinity out; a bound below keeps NaN out
Text = Annotated[str, Meta(min_length=1)]  # a cell that may be empty is a `str`
PositiveInt = Annotated[int, Meta(ge=1)]
NonNegativeInt = Annotated[int, Meta(ge=0)]
PositiveFloat = Annotated[float, Meta(gt=0, le=_LARGEST)]
NonNegativeFloat = Annotated[float, Meta(ge=0, le=_LARGEST)]
Proportion = Annotated[float, Meta(ge=0, le=1)]
Percentage = Annotated[float, Meta(ge=0, le=100)]
Year = Annotated[int, Meta(ge=1950)]


def one_of(words: Sequence[str]) -> Meta:
    """The constraint of a text that is one of `words`, as in `Annotated[str, one_of(FAMILIES)]`."""
    return Meta(pattern=f"^(?:{'|'.join(map(re.escape, words))})$")


def read_table(
    file: Path,
    row_type: type[Row],
    *,
    unique: Sequence[str] = (),
    columns: Mapping[str, str | Sequence[str]] = MappingProxyType({}),
    factors: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Row, ...]:
    """The rows of a CSV file, in its order; ValueError with file and line where one cannot be right.

    A field stands in the column of its name, or in that of `columns`; a mapping takes several columns. `factors`: what
    the numbers of a column are multiplied with, 1e6 where they are millions. An empty cell is None where the field may
    be None; "yes" and "no" are booleans. Checks of several fields belong in the `__post_init__` of `row_type`.
    `unique`: the fields that together name a row; no two rows share them.
    """
    hints = get_type_hints(row_type)  # without the constraints
    names = {field: columns.get(field, field) for field in hints}
    needed = {name for column in names.values() for name in ([column] if isinstance(column, str) else column)}
    rows: list[Row] = []
    first_lines: dict[tuple[Any, ...], int] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        if missing := needed - set(reader.fieldnames or ()):
            raise ValueError(f"{file.name}, line 1: the columns {', '.join(sorted(missing))} are missing.")
        for cells in reader:
            place = f"{file.name}, line {reader.line_num}"
            if None in cells or None in cells.values():
                raise ValueError(f"{place}: the row has not as many cells as line 1 has columns.")
            values: dict[str, Any] = {
                field: _cell(cells[column].strip(), hints[field], factors.get(field, 1.0))
                if isinstance(column, str)
                else {name: cells[name].strip() for name in column}
                for field, column in names.items()
            }
            try:
                row = validated(values, row_type, strict=False, names=names)
            except ValueError as error:
                raise ValueError(f"{place}: {error}.") from None
            key = tuple(getattr(row, field) for field in unique)
            if key and key in first_lines:
                repeated = ", ".join(map(str, key))
                raise ValueError(f"{place}: '{repeated}' stands in line {first_lines[key]} already.")
            first_lines[key] = reader.line_num
            rows.append(row)
    if not rows:
        raise ValueError(f"{file.name}, line 1: no row follows.")
    return tuple(rows)


def _cell(text: str, hint: Any, factor: float) -> Any:
    """What a cell holds for a field of the type `hint`, before it is checked."""
    if not text:
        return None if NoneType in get_args(hint) else text
    if text in ("yes", "no") and (hint is bool or bool in get_args(hint)):
        return text == "yes"
    if factor != 1.0:
        with suppress(ValueError):  # a text stays one, to be refused
            return factor * float(text)
    return text


def validated(
    value: Any, kind: type[Kind], *, strict: bool = True, names: Mapping[str, Any] = MappingProxyType({})
) -> Kind:
    """`value` as an instance of `kind`; ValueError with the path of what is missing or wrong, its value and the rule.

    `strict` as of `msgspec.convert`; `names`: how an error calls a field of `kind`, where it has another name.
    """
    try:
        return convert(value, kind, strict=strict, str_keys=True)
    except ValidationError as error:
        rule, _, place = str(error).partition(" - at ")
        keys = _keys(
            value, kind, str(error), re.findall(r"[^.\[\]`$]+|\.\.\.", place.removeprefix("`key` in ")), strict
        )
        raise ValueError(_sentence(rule, value, keys, names)) from None


def _keys(value: Any, kind: type, error: str, path: Sequence[str], strict: bool) -> list[str]:
    """A path of an error without its "...", by which msgspec means any key of a mapping: the first key that is wrong.

    A key is wrong if `value`, with nothing else in that mapping, is refused with the same `error`.
    """
    keys: list[str] = []
    for step in path:
        if step == "...":
            for key, inner in _inner(value, keys).items():
                try:
                    convert(_replaced(value, keys, {key: inner}), kind, strict=strict, str_keys=True)
                except ValidationError as again:
                    if str(again) == error:
                        step = key
                        break
        keys.append(step)
    return keys


def _inner(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def _replaced(value: Any, keys: Sequence[str], new: Any) -> Any:
    return {**value, keys[0]: _replaced(value[keys[0]], keys[1:], new)} if keys else new


def _sentence(rule: str, value: Any, keys: Sequence[str], names: Mapping[str, Any]) -> str:
    """What is wrong with the value at the end of a path of keys; `names` as of `validated`."""
    if lacking := re.fullmatch(r"Object missing required field `(.+)`", rule):
        return f"'{'.'.join([*keys, lacking[1]])}' is missing"
    wrong = _inner(value, keys)
    first = names.get(keys[0], keys[0]) if keys else ""
    name = ".".join([first if isinstance(first, str) else keys[0], *keys[1:]])
    if wrong is None:
        return f"'{name}' is missing"
    if wrong == "":
        return f"'{name}' is empty: {rule[0].lower()}{rule[1:]}"
    if isinstance(wrong, dict) and not rule.startswith("Expected `"):  # from a `__post_init__`
        return f"'{name}': {rule}" if name else rule
    excerpt = json.dumps(wrong, ensure_ascii=False)[:40]
    return f"{repr(name) if name else 'the file'} is {excerpt}: {rule[0].lower()}{rule[1:]}"
