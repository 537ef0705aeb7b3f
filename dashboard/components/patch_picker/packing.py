"""A photograph and its patches as the browser takes them: the picture once, the marks at every change."""

import hashlib
from collections.abc import Collection

import numpy as np

from dashboard.components.attention_view.packing import picture_address
from dashboard.components.cell_map.packing import pack as pack_matrix


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
    message = pack_matrix(
        np.zeros(shape) if values is None else values, rows=None, columns=None, limits=limits, marked=chosen
    )
    pixels = np.ascontiguousarray(picture)
    digest = hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()[:16]
    message["ofValues"], message["ofPicture"] = message.pop("digest"), digest
    message["hasValues"] = values is not None
    message["picture"] = None if have == digest else picture_address(pixels)
    return message
