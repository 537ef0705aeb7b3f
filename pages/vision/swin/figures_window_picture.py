"""A picture with the windows drawn over it in which its places look at one another."""

import base64
from io import BytesIO

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from dashboard.figures.paper import on_paper
from dashboard.theme import HUES, Look

PADDING = -1
FEW = 48  # places on a side: up to here each is outlined
NUMBERED = 64  # windows: up to here each shows its number
TINT = 0.55
# A line over a photograph is seen on dark and on light when it is light on dark.
_CASE, _LINE, _HAIR = "rgba(0,0,0,0.6)", "rgba(255,255,255,0.95)", "rgba(255,255,255,0.28)"


def window_picture(
    picture: np.ndarray,
    owners: np.ndarray,
    *,
    look: Look,
    chosen: int,
    regions: np.ndarray | None = None,
    tell: np.ndarray | None = None,
    numbered: bool = False,
    height: int = 460,
) -> go.Figure:
    """A picture (row, column, channel) of places, each of which belongs to a window: `owners` (row, column).

    Windows are outlined, the `chosen` one in the accent colour. `regions` (row, column) are tinted, each number in a
    hue of its own, 0 not at all. `tell` (row, column) holds the sentences below the pointer. `numbered` writes each
    window's number into its middle, which asks for windows in one piece.
    """
    rows, columns = owners.shape
    figure = go.Figure()
    shown = picture if regions is None else _tinted(picture, regions)
    figure.add_layout_image(
        source=_address(shown),
        xref="x",
        yref="y",
        x=0,
        y=0,
        sizex=columns,
        sizey=rows,
        sizing="stretch",
        layer="below",
    )
    figure.add_trace(_pointed(owners, tell))
    if max(rows, columns) <= FEW:
        figure.add_trace(_lines(*borders(np.arange(rows * columns).reshape(rows, columns)), _HAIR, 1))
    edges = borders(owners)
    figure.add_trace(_lines(*edges, _CASE, 4))
    figure.add_trace(_lines(*edges, _LINE, 2))
    own = borders(owners == chosen, inside=True)
    figure.add_trace(_lines(*own, "#ffffff", 7))
    figure.add_trace(_lines(*own, look.palette.accent, 4))
    if numbered and owners.max() < NUMBERED:
        _write_numbers(figure, owners, look.letters)
    on_paper(figure, look=look, height=height)
    figure.update_layout(showlegend=False)
    figure.update_xaxes(visible=False, range=[-0.02 * columns, 1.02 * columns], constrain="domain")
    figure.update_yaxes(
        visible=False, range=[1.02 * rows, -0.02 * rows], scaleanchor="x", constrain="domain", scaleratio=1
    )
    return figure


def rearranged_with_padding(picture: np.ndarray, places: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """A picture (row, column, channel) of a grid of places, with its places moved to where `places` has their numbers.

    Padding is grey and hatched. As many pixels for each place as fit into the picture.
    """
    rows, columns = grid
    high, wide = max(1, round(picture.shape[0] / rows)), max(1, round(picture.shape[1] / columns))
    even = np.asarray(Image.fromarray(picture).resize((columns * wide, rows * high)))
    patches = even.reshape(rows, high, columns, wide, 3).swapaxes(1, 2).reshape(rows * columns, high, wide, 3)
    moved = np.where((places == PADDING)[:, :, None, None, None], np.uint8(150), patches[places])
    sheet = moved.swapaxes(1, 2).reshape(places.shape[0] * high, places.shape[1] * wide, 3).copy()
    padded = np.repeat(np.repeat(places == PADDING, high, axis=0), wide, axis=1)
    down, across = np.indices(padded.shape)
    stroke = max(2, max(padded.shape) // 150)
    sheet[padded & ((down + across) // stroke % 3 == 0)] = 110
    return sheet


def borders(groups: np.ndarray, *, inside: bool = False) -> tuple[list[float | None], list[float | None]]:
    """Lines (x, y), None between two, wherever two neighbours of a grid differ, and around the whole of it.

    `inside`: `groups` is true or false, and around the whole only where it is true.
    """
    x: list[float | None] = []
    y: list[float | None] = []
    padded = np.pad(groups.astype(np.int64), 1, constant_values=0 if inside else -2)
    for down, across in np.argwhere(padded[1:, 1:-1] != padded[:-1, 1:-1]):
        x += [across, across + 1, None]
        y += [down, down, None]
    for down, across in np.argwhere(padded[1:-1, 1:] != padded[1:-1, :-1]):
        x += [across, across, None]
        y += [down, down + 1, None]
    return x, y


def _tinted(picture: np.ndarray, regions: np.ndarray) -> np.ndarray:
    hues = np.array([[int(hue[place : place + 2], 16) for place in (1, 3, 5)] for hue in (*HUES, "#666666")])
    rows, columns = regions.shape
    down = np.arange(picture.shape[0]) * rows // picture.shape[0]
    across = np.arange(picture.shape[1]) * columns // picture.shape[1]
    region = regions[down][:, across]
    mixed = (1 - TINT) * picture + TINT * hues[(region - 1) % len(hues)]
    return np.where((region > 0)[:, :, None], mixed.round(), picture).astype(np.uint8)


def _address(picture: np.ndarray) -> str:
    written = BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(written, "JPEG", quality=88)
    return f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode('ascii')}"


def _pointed(owners: np.ndarray, tell: np.ndarray | None) -> go.Heatmap:
    """Nothing to be seen, but something to point at."""
    return go.Heatmap(
        z=np.zeros_like(owners),
        x0=0.5,
        dx=1,
        y0=0.5,
        dy=1,
        opacity=0,
        showscale=False,
        customdata=tell,
        hovertemplate="%{customdata}<extra></extra>" if tell is not None else None,
        hoverinfo="skip" if tell is None else None,
    )


def _lines(x: list, y: list, colour: str, width: int) -> go.Scatter:
    return go.Scatter(x=x, y=y, mode="lines", line={"color": colour, "width": width}, hoverinfo="skip")


def _write_numbers(figure: go.Figure, owners: np.ndarray, size: int) -> None:
    for window in range(int(owners.max()) + 1):
        down, across = np.nonzero(owners == window)
        if len(down):
            figure.add_annotation(
                x=across.mean() + 0.5,
                y=down.mean() + 0.5,
                text=str(window),
                showarrow=False,
                font={"color": "#ffffff", "size": size},
                bgcolor="rgba(0,0,0,0.55)",
                borderpad=2,
            )
