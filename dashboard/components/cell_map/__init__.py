"""A matrix whose cells can be hovered (in the browser) and clicked (a callback on the server)."""

from collections.abc import Callable, Collection, Sequence
from functools import partial

import numpy as np

from core.view import codec
from dashboard import theme
from dashboard.components.kit import Component, cached_digest, place_of, selection_callback
from dashboard.figures.heat import limits_of

__all__ = ["cell_map"]

LARGE = 32_768  # characters from which values that the browser has are not sent again

_show = Component(__file__)


def cell_map(
    values: np.ndarray,
    *,
    key: str,
    x: str,
    y: str,
    tell: str,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    limits: tuple[float, float] | None = None,
    kinds: Sequence[str] = (),
    hues: Sequence[str] = (),
    marked: Collection[tuple[int, int]] = (),
    mark: str = "chosen",
    on_click: Callable[[int, int], None] | None = None,
    alt: str,
    name: str,
    height: int = 460,
) -> None:
    """Show `values` (row, column), the first row on top; NaN cells are hatched.

    `x` and `y` name the axes ("head", "layer"); `rows` and `columns` label them (by default their numbers).
    `tell` is the sentence for the cell under the pointer, with {row}, {column} and {value} in it, for instance
    "layer {row}, head {column}: {value} bits". `limits`: the values of both ends of the scale, signed if the lower one
    is below 0; without them 0 to the largest, or symmetric around 0. For values that are categories, `kinds` names the
    categories 0, 1, 2 ...: the legend lists all but the first, {value} is the name, and each but the first has a colour
    of `hues`, or its own on the scale. `marked` cells are outlined, and screen readers read `mark` for them.
    `on_click(row, column)` is called before the page runs again. Cells can also be reached with Tab and arrow keys, and
    clicked with Enter. `alt` describes the map for screen readers; `name` begins the names of files. `height` is the
    largest height of the cells in pixels.
    """
    have = cached_digest(key, "clicked")
    hues = [theme.look().themed(hue) for hue in hues]
    data = pack(values, rows=rows, columns=columns, limits=limits, kinds=kinds, hues=hues, marked=marked, have=have)
    data |= {"x": x, "y": y, "tell": tell, "mark": mark, "canClick": on_click is not None, "alt": alt}
    data |= {"name": f"attention-atlas-{name}", "height": height}

    # A click is a state and not a trigger: it holds what the browser has, for as long as the map is there.
    _show(
        key,
        data,
        signed=data["limits"][0] < 0,
        clicked=selection_callback(partial(cell_of, shape=values.shape), on_click),
    )


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
    values are no matrix, if labels, kinds or colours do not fit it, or if a mark lies outside.
    """
    if values.ndim != 2 or not values.size:
        raise ValueError(f"A map needs rows and columns, but the values have the shape {values.shape}.")
    for name, labels, count in (("rows", rows, values.shape[0]), ("columns", columns, values.shape[1])):
        if labels is not None and len(labels) != count:
            raise ValueError(f"{len(labels)} labels do not fit {count} {name}.")
    cells = [(int(row), int(column)) for row, column in marked]
    if outside := [cell for cell in cells if not (0 <= cell[0] < values.shape[0] and 0 <= cell[1] < values.shape[1])]:
        raise ValueError(f"The map has {values.shape[0]} × {values.shape[1]} cells, but {outside[0]} is marked.")
    if kinds and not np.isin(values, range(len(kinds))).all():
        raise ValueError(f"{len(kinds)} kinds are named, but a value is none of the whole numbers below {len(kinds)}.")
    if hues and len(hues) != len(kinds) - 1:
        raise ValueError(f"{len(hues)} colours do not fit {len(kinds)} kinds: each but the first has one.")
    sent = codec.floats(values)
    digest = codec.digest(values.shape, sent)
    low, high = limits or limits_of(values)
    return {
        "shape": list(values.shape),
        "digest": digest,
        "values": None if have == digest and len(sent) > LARGE else sent,
        "rows": None if rows is None else [str(label) for label in rows],
        "columns": None if columns is None else [str(label) for label in columns],
        "limits": [float(low), float(high)],
        "kinds": list(kinds),
        "hues": list(hues),
        "marked": sorted(map(list, cells)),
    }


def cell_of(message: object, shape: Sequence[int]) -> tuple[int, ...] | None:
    """The cell (row, column) in a browser's message; None if there is no valid one."""
    return place_of(message, row=shape[0], column=shape[1])
