"""A matrix and its words as the browser takes them: float32 in base64, labels as text, both ends of the scale."""

import base64
import hashlib
from collections.abc import Collection, Sequence

import numpy as np

from dashboard.figures.heat import limits_of

LARGE = 32_768  # bytes from which values that the browser has are not sent again


def pack(
    values: np.ndarray,
    *,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    limits: tuple[float, float] | None,
    marked: Collection[tuple[int, int]],
    kinds: Sequence[str] = (),
    hues: Sequence[str] = (),
    have: str | None = None,
) -> dict:
    """The message for a matrix (row, column); view.js reads it.

    `have` is the digest of the values that the browser holds: large ones are then not sent again. ValueError if the
    values are no matrix, if labels, kinds or colours do not fit it or a mark lies outside.
    """
    if values.ndim != 2 or not values.size:
        raise ValueError(f"A map needs rows and columns, but the values have the shape {values.shape}.")
    for name, labels, count in (("rows", rows, values.shape[0]), ("columns", columns, values.shape[1])):
        if labels is not None and len(labels) != count:
            raise ValueError(f"{len(labels)} labels do not fit {count} {name}.")
    if outside := [cell for cell in marked if not _within(cell, values.shape)]:
        raise ValueError(f"The map has {values.shape[0]} × {values.shape[1]} cells, but {outside[0]} is marked.")
    if kinds and not np.isin(values, range(len(kinds))).all():
        raise ValueError(f"{len(kinds)} kinds are named, but a value is none of the whole numbers below {len(kinds)}.")
    if hues and len(hues) != len(kinds) - 1:
        raise ValueError(f"{len(hues)} colours do not fit {len(kinds)} kinds: each but the first has one.")
    with np.errstate(over="ignore"):
        sent = values.astype("<f4").tobytes()
    digest = hashlib.sha256(repr(values.shape).encode() + sent).hexdigest()[:16]
    low, high = limits or limits_of(values)
    return {
        "shape": list(values.shape),
        "digest": digest,
        "values": None if have == digest and len(sent) > LARGE else base64.b64encode(sent).decode("ascii"),
        "rows": None if rows is None else [str(label) for label in rows],
        "columns": None if columns is None else [str(label) for label in columns],
        "limits": [float(low), float(high)],
        "kinds": list(kinds),
        "hues": list(hues),
        "marked": sorted([int(row), int(column)] for row, column in marked),
    }


def cell_of(clicked: object, shape: tuple[int, ...]) -> tuple[int, int] | None:
    """The cell in a browser's message, or None for whatever else it may hold."""
    if not isinstance(clicked, dict):
        return None
    row, column = clicked.get("row"), clicked.get("column")
    if type(row) is not int or type(column) is not int:  # True is an int too, and no place
        return None
    return (row, column) if _within((row, column), shape) else None


def _within(cell: tuple, shape: tuple[int, ...]) -> bool:
    return 0 <= cell[0] < shape[0] and 0 <= cell[1] < shape[1]
