"""A photograph with a grid of patches to hover (in the browser) and click (a callback on the server)."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Literal

import numpy as np

from core.view import codec
from dashboard.components import cell_map
from dashboard.components.kit import Component, cached_digest, selection_callback

__all__ = ["patch_picker"]

_show = Component(__file__)


def patch_picker(
    picture: np.ndarray,
    *,
    rows: int,
    columns: int,
    key: str,
    chosen: Collection[tuple[int, int]] = (),
    look: Literal["outline", "cover"] = "outline",
    cover: str = "#7f7f7f",
    mark: str = "chosen",
    tell: str = "row {row}, column {column}",
    tells: Sequence[str] = (),
    hint: str = "Point at a patch, click to choose it.",
    values: np.ndarray | None = None,
    limits: tuple[float, float] | None = None,
    on_click: Callable[[int, int], None] | None = None,
    alt: str,
    name: str,
    height: int = 420,
) -> None:
    """Show `picture` (row, column, 3) uint8 under a grid of `rows` x `columns` patches; `chosen` ones are marked.

    `look`: chosen patches are outlined, or covered with the colour `cover`; a screen reader hears `mark` for them.
    `tell` is the sentence for the patch under the pointer, with {row}, {column} and {value} in it; `tells` has one for
    each patch, row by row, in place of it; `hint` stands there before. `values` (row, column) are laid over the picture
    as a veil: zero is the picture itself; `limits` as for `cell_map`. `on_click(row, column)` is called before the page
    runs again. Patches can also be reached with Tab and arrow keys, and clicked with Enter. `alt` describes the picture
    for screen readers; `name` begins the names of files; `height` is the largest height in pixels.
    """
    data = pack(
        picture, (rows, columns), values=values, limits=limits, chosen=chosen, have=cached_digest(key, "clicked")
    )
    if tells and len(tells) != rows * columns:
        raise ValueError(f"The grid has {rows} × {columns} patches, but {len(tells)} sentences.")
    data |= {"look": look, "cover": cover, "mark": mark, "tell": tell, "hint": hint, "alt": alt, "height": height}
    data |= {"tells": list(tells)}
    data |= {"name": f"attention-atlas-{name}", "canClick": on_click is not None}

    # A click is a state and not a trigger: it holds what the browser has, for as long as the picture is there.
    _show(
        key,
        data,
        signed=data["limits"][0] < 0,
        clicked=selection_callback(partial(cell_map.cell_of, shape=(rows, columns)), on_click),
    )


def pack(
    picture: np.ndarray,
    shape: tuple[int, int],
    *,
    values: np.ndarray | None,
    limits: tuple[float, float] | None,
    chosen: Collection[tuple[int, int]],
    have: str | None = None,
) -> dict:
    """The message for a picture (row, column, 3) under a grid of `shape`; view.js reads it.

    `have` is the digest of the picture that the browser holds: it is then not sent again. ValueError if the values do
    not fit the grid or a chosen patch lies outside.
    """
    if values is not None and values.shape != shape:
        raise ValueError(f"The grid has {shape[0]} × {shape[1]} patches, but the values have the shape {values.shape}.")
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or not picture.size:
        raise ValueError(f"A picture is (row, column, 3) uint8, not {picture.shape} {picture.dtype}.")
    message = cell_map.pack(
        np.zeros(shape) if values is None else values, rows=None, columns=None, limits=limits, marked=chosen
    )
    pixels = np.ascontiguousarray(picture)
    digest = codec.digest(pixels.shape, pixels.tobytes())
    message["ofValues"], message["ofPicture"] = message.pop("digest"), digest
    message["hasValues"] = values is not None
    message["picture"] = None if have == digest else codec.picture_address(pixels)
    return message
