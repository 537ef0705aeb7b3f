"""Pictures side by side in one figure, each under its title, with crisp pixels."""

import base64
import io
from collections.abc import Sequence
from urllib.parse import quote

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

SHEET_TILE = 64  # pixels of the sheet for a tile, at least: pixels are repeated, so that the browser does not blur them
UNQUOTED = " '=:;,/+"  # characters of SVG that need no quoting in an address
TILE_GAP, TILE_LINE = 0.08, 0.42  # between tiles, and for the line above each, as shares of a tile's side


def picture_tiles(
    pictures: np.ndarray, titles: Sequence[str], *, columns: int, look: Look, side: int = 72
) -> go.Figure:
    """`pictures` (tile, row, column, 3) uint8 in rows of `columns` tiles with a title above each, with crisp pixels.

    `side` is the height of a tile in pixels; a narrow window makes it smaller. All tiles are drawn as one picture: with
    a trace and axes for each, a browser needs seconds.
    """
    count, high, wide, _ = pictures.shape
    if count != len(titles):
        raise ValueError(f"{len(titles)} titles do not fit {count} pictures.")
    times = -(-SHEET_TILE // high)
    across, down = wide * times + round(TILE_GAP * high * times), high * times + round(TILE_LINE * high * times)
    rows = -(-count // columns)
    sheet = np.zeros((rows * down, columns * across, 4), dtype=np.uint8)
    annotations = []
    for number, (picture, title) in enumerate(zip(pictures, titles, strict=True)):
        row, column = divmod(number, columns)
        top, left = (row + 1) * down - high * times, column * across
        tile = sheet[top : top + high * times, left : left + wide * times]
        tile[..., :3], tile[..., 3] = repeated(picture, times, times), 255
        font = {"size": look.letters - 2, "color": look.palette.soft}
        place = {"x": left, "xanchor": "left", "y": top, "yanchor": "bottom"}
        annotations.append({"text": escape(title), "font": font, "showarrow": False, **place})
    figure = go.Figure(go.Scatter(x=[], y=[]))
    on_paper(figure, look=look, height=round(rows * side * down / (high * times) + 16))
    tall, broad = sheet.shape[:2]
    source = picture_address(Image.fromarray(sheet))
    place = {"xref": "x", "yref": "y", "x": 0, "y": 0, "layer": "below"}
    figure.add_layout_image(source=source, sizex=broad, sizey=tall, sizing="stretch", **place)
    figure.update_xaxes(visible=False, range=[0, broad], constrain="domain", constraintoward="left")
    figure.update_yaxes(visible=False, range=[tall, 0], scaleanchor="x", constrain="domain", constraintoward="top")
    return figure.update_layout(annotations=annotations)


def picture_address(picture: Image.Image, kind: str = "png", **settings: int) -> str:
    """A picture as a data URL."""
    file = io.BytesIO()
    picture.save(file, kind, **settings)
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def crisp_address(picture: Image.Image) -> str:
    """A picture as a data URL of an SVG around it that tells the browser not to smooth its pixels."""
    wide, high = picture.size
    outside = f"xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide} {high}' preserveAspectRatio='none'"
    inside = f"width='{wide}' height='{high}' style='image-rendering: pixelated'"
    before, after = quote(f"<svg {outside}><image {inside} href='", safe=UNQUOTED), quote("'/></svg>", safe=UNQUOTED)
    # The picture's own address needs no quoting, which would take longer than everything else.
    return f"data:image/svg+xml,{before}{picture_address(picture)}{after}"


def repeated(picture: np.ndarray, down: int, across: int) -> np.ndarray:
    """A picture with each pixel repeated `down` and `across` times."""
    return picture.repeat(down, axis=0).repeat(across, axis=1)
