"""Windows drawn over a picture, biases by distance, how far heads look, and what a block costs as pictures grow."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from PIL import Image
from plotly.subplots import make_subplots

from core.view.codec import picture_address
from core.vision.window_grid import PADDING
from dashboard import theme
from dashboard.figures.curves import curves
from dashboard.figures.distances import level_bars, side_by_side
from dashboard.figures.paper import escape, on_paper
from dashboard.number_format import integer
from dashboard.theme import HUES, Look

FEW = 48  # places on a side: up to here each is outlined
NUMBERED = 64  # windows: up to here each shows its number
TINT = 0.55
# A line over a photograph is seen on dark and on light when it is light on dark.
_CASE, _LINE, _HAIR = "rgba(0,0,0,0.6)", "rgba(255,255,255,0.95)", "rgba(255,255,255,0.28)"
FEWEST, MOST = 4, 8  # maps of biases side by side, or room for them
ROOM = 800  # pixels for all of them, about


def window_picture(
    picture: np.ndarray,
    owners: np.ndarray,
    *,
    look: Look,
    chosen: int,
    tell: np.ndarray,
    regions: np.ndarray | None = None,
    numbered: bool = False,
    height: int = 460,
) -> go.Figure:
    """A picture (row, column, channel) of places, each of which belongs to a window: `owners` (row, column).

    Windows are outlined, the `chosen` one in the accent colour. `tell` (row, column) holds the sentences below the
    pointer. `regions` (row, column) are tinted, each number in a hue of its own, 0 not at all. `numbered` writes each
    window's number into its middle, which asks for windows in one piece.
    """
    rows, columns = owners.shape
    figure = go.Figure()
    background = picture if regions is None else _tinted(picture, regions)
    figure.add_layout_image(
        source=picture_address(background),
        xref="x",
        yref="y",
        x=0,
        y=0,
        sizex=columns,
        sizey=rows,
        sizing="stretch",
        layer="below",
    )
    # Not to be seen, but to be pointed at.
    figure.add_heatmap(
        z=np.zeros_like(owners),
        x0=0.5,
        dx=1,
        y0=0.5,
        dy=1,
        opacity=0,
        showscale=False,
        customdata=tell,
        hovertemplate="%{customdata}<extra></extra>",
    )
    if max(rows, columns) <= FEW:
        figure.add_trace(_lines(borders(np.arange(rows * columns).reshape(rows, columns)), _HAIR, 1))
    edges, own = borders(owners), borders(owners == chosen, inside=True)
    for lines, colour, width in ((edges, _CASE, 4), (edges, _LINE, 2), (own, "#ffffff", 7)):
        figure.add_trace(_lines(lines, colour, width))
    figure.add_trace(_lines(own, look.palette.accent, 4))
    for window in range(int(owners.max()) + 1) if numbered and owners.max() < NUMBERED else ():
        down, across = np.nonzero(owners == window)
        figure.add_annotation(
            x=across.mean() + 0.5,
            y=down.mean() + 0.5,
            text=str(window),
            showarrow=False,
            font={"color": "#ffffff", "size": look.letters},
            bgcolor="rgba(0,0,0,0.55)",
            borderpad=2,
        )
    on_paper(figure, look=look, height=height)
    figure.update_layout(showlegend=False)
    figure.update_xaxes(visible=False, range=[-0.02 * columns, 1.02 * columns], constrain="domain")
    figure.update_yaxes(visible=False, range=[1.02 * rows, -0.02 * rows], scaleanchor="x", constrain="domain")
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


def _lines(points: tuple[list, list], colour: str, width: int) -> go.Scatter:
    x, y = points
    return go.Scatter(x=x, y=y, mode="lines", line={"color": colour, "width": width}, hoverinfo="skip")


def bias_tables(tables: np.ndarray, *, look: Look, chosen: int, signed: bool) -> go.Figure:
    """Maps (head, row, column) over the distances in rows and columns, the chosen head outlined.

    One scale for all: around 0 where biases are `signed`, from 0 where they are not.
    """
    count, high, wide = tables.shape
    across = min(max(count, FEWEST), MOST)
    lines = math.ceil(count / across)
    largest = float(np.abs(tables).max()) or 1.0
    figure = make_subplots(
        lines,
        across,
        subplot_titles=[f"<b>head {head}</b>" if head == chosen else f"head {head}" for head in range(count)],
        horizontal_spacing=0.1 / across,
        vertical_spacing=0.16 / lines,
    )
    down, beside = (range(-(side // 2), side // 2 + 1) for side in (high, wide))
    labels = [[f"{integer(row)} rows, {integer(column)} columns" for column in beside] for row in down]
    for head, table in enumerate(tables):
        where, axis = {"row": head // across + 1, "col": head % across + 1}, f"x{head + 1 if head else ''}"
        hover = f"head {head}, %{{customdata}}: %{{z:.3f}}<extra></extra>"
        figure.add_heatmap(z=table, customdata=labels, coloraxis="coloraxis", hovertemplate=hover, **where)
        figure.update_yaxes(scaleanchor=axis, range=[high - 0.5, -0.5], **where)
    outline = {"color": look.palette.accent, "width": 3}
    where = {"row": chosen // across + 1, "col": chosen % across + 1}
    figure.add_shape(type="rect", x0=-0.5, x1=wide - 0.5, y0=-0.5, y1=high - 0.5, line=outline, **where)
    figure.update_annotations(font={"size": look.letters - 1, "color": look.palette.ink})
    figure.layout.annotations[chosen].font.color = look.palette.accent
    colours = theme.diverging(look.palette) if signed else theme.sequential(look.palette)
    figure.update_layout(
        coloraxis={
            "cmin": -largest if signed else 0.0,
            "cmax": largest,
            "colorscale": theme.colorscale(colours),
            "colorbar": {"thickness": 10, "outlinewidth": 0, "len": 0.8},
        }
    )
    on_paper(figure, look=look, height=round(lines * (ROOM / across + 2.2 * look.letters) + 16))
    figure.update_layout(margin_t=2 * look.letters)
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, constrain="domain")
    return figure


def window_distances(
    blocks: Sequence[str], heads: Sequence[np.ndarray], *, even: Sequence[float], look: Look, height: int
) -> go.Figure:
    """One point for each head above its block, in pixels; a line for even attention in the same windows."""
    names = [escape(name) for name in blocks]
    figure = go.Figure(
        go.Scatter(
            x=np.concatenate([place + side_by_side(len(own)) for place, own in enumerate(heads)]),
            y=np.concatenate(heads),
            mode="markers",
            name="a head",
            marker={"color": look.palette.map, "size": 9, "opacity": 0.8},
            customdata=[(names[place], head) for place, own in enumerate(heads) for head in range(len(own))],
            hovertemplate="block %{customdata[0]}, head %{customdata[1]}: %{y:.1f} pixels<extra></extra>",
        )
    )
    tell = "block %{customdata}, even attention: %{y:.1f} pixels"
    figure.add_trace(level_bars(names, even, name="even attention", tell=tell, look=look))
    on_paper(figure, look=look, height=height, x="stage.block", y="mean distance (pixels)")
    figure.update_xaxes(type="linear", tickvals=list(range(len(names))), ticktext=names, range=[-0.6, len(names) - 0.4])
    figure.update_yaxes(rangemode="tozero")
    return figure


def window_costs(
    pixels: Sequence[int],
    counted: Mapping[str, np.ndarray],
    measured: Mapping[str, np.ndarray],
    *,
    hues: Mapping[str, str],
    look: Look,
    y: str,
    picture_side: int,
) -> go.Figure:
    """A line for each name in `counted`, and over it points where there is something in `measured` (NaN: nothing).

    Both axes are logarithmic: a power of the side is a straight line. `picture_side` marks the size of the shown
    picture.
    """
    tell = "%{fullData.name}: %{x} px, %{y:.3g}"
    figure = curves(
        pixels,
        {f"{name}, counted": values for name, values in counted.items()},
        look=look,
        x="side of the picture (pixels)",
        y=y,
        tell=tell,
        hues={f"{name}, counted": hues[name] for name in counted},
        x_log=True,
        y_log=True,
    )
    for name, values in measured.items():
        figure.add_scatter(
            x=list(pixels),
            y=values,
            name=f"{escape(name)}, measured",
            mode="markers",
            marker={"color": look.palette.paper, "size": 9, "line": {"color": hues[name], "width": 2}},
            hovertemplate=f"{tell}<extra></extra>",
        )
    named = [side for side in pixels if side.bit_count() == 1] or list(pixels)  # powers of two: evenly spaced
    ends = [float(np.log10(pixels[0])) - 0.02, float(np.log10(pixels[-1])) + 0.02]  # room for what is drawn at them
    figure.update_xaxes(range=ends, tickvals=named, ticktext=[str(side) for side in named])
    figure.update_yaxes(tickformat=",~g")
    figure.add_vline(x=picture_side, line={"color": look.palette.soft, "width": 1, "dash": "dot"})
    figure.update_layout(showlegend=len(figure.data) > 1, margin={"r": 16})
    return figure
