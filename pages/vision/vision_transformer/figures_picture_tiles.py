"""Small pictures side by side, each with a line above it: filters, patches, channels."""

import base64
import io
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

SIDE = 64  # dots of the sheet for a tile, at least: each pixel is repeated, so that the browser need not blur it
GAP, LINE = 0.08, 0.42  # between tiles, and for the line above each, as shares of a tile's side


def picture_tiles(
    pictures: np.ndarray,
    titles: Sequence[str],
    *,
    columns: int,
    look: Look,
    side: int = 72,
) -> go.Figure:
    """`pictures` (tile, row, column, 3) uint8 in rows of `columns` tiles, pixels kept apart.

    `side` is how high a tile is drawn, in pixels; a narrow window makes them smaller. All tiles are one picture:
    with a trace and axes for each, a browser needs seconds for them.
    """
    count, high, wide, _ = pictures.shape
    if count != len(titles):
        raise ValueError(f"{len(titles)} titles do not fit {count} pictures.")
    times = -(-SIDE // high)
    across, down = wide * times + round(GAP * high * times), high * times + round(LINE * high * times)
    rows = -(-count // columns)
    sheet = np.zeros((rows * down, columns * across, 4), dtype=np.uint8)
    written = []
    for number, (picture, title) in enumerate(zip(pictures, titles, strict=True)):
        row, column = divmod(number, columns)
        top, left = (row + 1) * down - high * times, column * across
        tile = sheet[top : top + high * times, left : left + wide * times]
        tile[..., :3], tile[..., 3] = picture.repeat(times, axis=0).repeat(times, axis=1), 255
        written.append(_above(title, left, top, look))
    figure = go.Figure(go.Scatter(x=[], y=[]))
    height = round(rows * side * down / (high * times) + 16)
    on_paper(figure, look=look, height=height)
    tall, broad = sheet.shape[:2]
    figure.add_layout_image(
        source=_png(sheet), xref="x", yref="y", x=0, y=0, sizex=broad, sizey=tall, sizing="stretch", layer="below"
    )
    figure.update_xaxes(visible=False, range=[0, broad], constrain="domain", constraintoward="left")
    figure.update_yaxes(visible=False, range=[tall, 0], scaleanchor="x", constrain="domain", constraintoward="top")
    return figure.update_layout(annotations=written)


def _png(sheet: np.ndarray) -> str:
    file = io.BytesIO()
    Image.fromarray(sheet).save(file, "png")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def _above(title: str, left: int, top: int, look: Look) -> dict:
    return {
        "text": escape(title),
        "font": {"size": look.letters - 2, "color": look.palette.soft},
        "showarrow": False,
        "x": left,
        "xanchor": "left",
        "y": top,
        "yanchor": "bottom",
    }


def as_pictures(filters: np.ndarray) -> np.ndarray:
    """Filters (tile, channel, row, column) as RGB pictures: grey is 0, each filter's largest number full colour."""
    if filters.shape[1] != 3:
        raise ValueError(f"A filter with {filters.shape[1]} channels has no colours.")
    largest = np.abs(filters).max(axis=(1, 2, 3), keepdims=True)
    shares = filters / np.where(largest > 0, largest, 1)
    return np.round(127.5 + 127.5 * shares).astype(np.uint8).transpose(0, 2, 3, 1)
