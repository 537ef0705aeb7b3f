"""Pictures side by side in one figure, each under its title, their pixels kept apart."""

import base64
import io
from collections.abc import Sequence
from urllib.parse import quote

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

TILE = 64  # dots of the sheet for a tile, at least: each pixel is repeated, so that the browser need not blur it
UNTOUCHED = " '=:;,/+"  # signs of a drawing that may stand in an address as they are
TILE_GAP, TILE_LINE = 0.08, 0.42  # between tiles, and for the line above each, as shares of a tile's side


def picture_tiles(
    pictures: np.ndarray, titles: Sequence[str], *, columns: int, look: Look, side: int = 72
) -> go.Figure:
    """`pictures` (tile, row, column, 3) uint8 in rows of `columns` tiles with a title above each, pixels kept apart.

    `side` is how high a tile is drawn, in pixels; a narrow window makes them smaller. All tiles are one picture:
    with a trace and axes for each, a browser needs seconds for them.
    """
    count, high, wide, _ = pictures.shape
    if count != len(titles):
        raise ValueError(f"{len(titles)} titles do not fit {count} pictures.")
    times = -(-TILE // high)
    across, down = wide * times + round(TILE_GAP * high * times), high * times + round(TILE_LINE * high * times)
    rows = -(-count // columns)
    sheet = np.zeros((rows * down, columns * across, 4), dtype=np.uint8)
    written = []
    for number, (picture, title) in enumerate(zip(pictures, titles, strict=True)):
        row, column = divmod(number, columns)
        top, left = (row + 1) * down - high * times, column * across
        tile = sheet[top : top + high * times, left : left + wide * times]
        tile[..., :3], tile[..., 3] = repeated(picture, times, times), 255
        font = {"size": look.letters - 2, "color": look.palette.soft}
        place = {"x": left, "xanchor": "left", "y": top, "yanchor": "bottom"}
        written.append({"text": escape(title), "font": font, "showarrow": False, **place})
    figure = go.Figure(go.Scatter(x=[], y=[]))
    on_paper(figure, look=look, height=round(rows * side * down / (high * times) + 16))
    tall, broad = sheet.shape[:2]
    drawn, place = picture_address(Image.fromarray(sheet)), {"xref": "x", "yref": "y", "x": 0, "y": 0, "layer": "below"}
    figure.add_layout_image(source=drawn, sizex=broad, sizey=tall, sizing="stretch", **place)
    figure.update_xaxes(visible=False, range=[0, broad], constrain="domain", constraintoward="left")
    figure.update_yaxes(visible=False, range=[tall, 0], scaleanchor="x", constrain="domain", constraintoward="top")
    return figure.update_layout(annotations=written)


def picture_address(picture: Image.Image, kind: str = "png", **settings: int) -> str:
    """A picture as an address that holds it."""
    file = io.BytesIO()
    picture.save(file, kind, **settings)
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def crisp_address(picture: Image.Image) -> str:
    """The same, its pixels kept apart however large it is drawn: a drawing around it says so to the browser."""
    wide, high = picture.size
    outside = f"xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide} {high}' preserveAspectRatio='none'"
    inside = f"width='{wide}' height='{high}' style='image-rendering: pixelated'"
    before, after = quote(f"<svg {outside}><image {inside} href='", safe=UNTOUCHED), quote("'/></svg>", safe=UNTOUCHED)
    # The picture's own address needs no quoting, which takes longer than all the rest.
    return f"data:image/svg+xml,{before}{picture_address(picture)}{after}"


def repeated(picture: np.ndarray, down: int, across: int) -> np.ndarray:
    """Each pixel so many times, downwards and across."""
    return picture.repeat(down, axis=0).repeat(across, axis=1)
