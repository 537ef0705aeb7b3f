"""Pictures in figures: filters as tiles, sequences as matrices of numbers, maps over the photograph."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from dashboard import theme
from dashboard.figures.heat import heat
from dashboard.figures.mosaic import tiles
from dashboard.figures.paper import escape, on_paper
from dashboard.figures.pictures import crisp_address, picture_address
from dashboard.theme import Look

GAP = 0.035  # between two matrices, as a share of the width
LEVELS = 127  # of colour on either side of zero
QUANTILE = 0.995  # of the numbers lie within the scale: single huge ones would leave the others pale
TALLEST, WIDEST = 800, 400  # rows and columns of numbers that are drawn; of more, evenly chosen ones

INK = 0.92  # of the strongest cell: the photograph's texture stays to be seen
PALE = 0.5  # how far the photograph fades into the page below a map
LONGEST = 560  # pixels of the photograph's longer side: a figure is hardly wider


def as_pictures(filters: np.ndarray) -> np.ndarray:
    """Filters (tile, channel, row, column) as RGB pictures: grey is 0, each filter's largest number full colour."""
    if filters.shape[1] != 3:
        raise ValueError(f"A filter with {filters.shape[1]} channels has no colours.")
    largest = np.abs(filters).max(axis=(1, 2, 3), keepdims=True)
    shares = filters / np.where(largest > 0, largest, 1)
    return np.round(127.5 + 127.5 * shares).astype(np.uint8).transpose(0, 2, 3, 1)


@dataclass(frozen=True)
class Matrix:
    """Numbers (token, channel) with what is written above them; the row `marked` is framed."""

    title: str
    about: str
    values: np.ndarray
    marked: int | None = None


def matrices(parts: Sequence[Matrix], *, look: Look, height: int = 320) -> go.Figure:
    """Signed numbers side by side around the colour of the page, which is 0; each matrix has a scale of its own."""
    title = 3.4 * look.letters
    width = (1 - GAP * (len(parts) - 1)) / len(parts)
    top = height / (height + title)
    tallest = max(len(matrix.values) for matrix in parts)
    paper = {"xref": "paper", "yref": "paper"}
    images, shapes, titles = list[dict](), list[dict](), list[dict]()
    for number, matrix in enumerate(parts):
        left = number * (width + GAP)
        tall = top * max(0.02, len(matrix.values) / tallest)
        place = {"x": left, "y": top, "sizex": width, "sizey": tall, "sizing": "stretch"}
        images.append({"source": crisp_address(_drawn(matrix.values, look)), **place, **paper})
        frame = {"type": "rect", "x0": left, "x1": left + width, **paper}
        shapes.append({**frame, "y0": top - tall, "y1": top, "line": {"color": look.palette.hair, "width": 1}})
        if matrix.marked is not None:
            step = tall / len(matrix.values)
            above = top - matrix.marked * step
            slack = max(0.0, 4 / (height + title) - step / 2)
            line = {"color": look.palette.accent, "width": 1.6}
            shapes.append({**frame, "y0": above - step - slack, "y1": above + slack, "line": line})
        text = f"{escape(matrix.title)}<br><span style='color:{look.palette.soft}'>{escape(matrix.about)}</span>"
        begin = {"x": left, "xanchor": "left", "y": top, "yanchor": "bottom", "align": "left", "showarrow": False}
        titles.append({"text": text, "font": {"size": look.letters - 1}, **begin, **paper})
    empty = {"visible": False, "range": [0, 1]}
    return on_paper(
        go.Figure(go.Scatter(x=[], y=[])),
        look=look,
        height=round(height + title),
        xaxis=empty,
        yaxis=empty,
        images=images,
        shapes=shapes,
        annotations=titles,
    )


def _drawn(values: np.ndarray, look: Look) -> Image.Image:
    """The numbers as a picture; its colours are a palette, so that it takes a third of the bytes."""
    limits = zip(values.shape, (TALLEST, WIDEST), strict=True)
    rows, columns = (np.linspace(0, count - 1, min(count, most)).round().astype(int) for count, most in limits)
    sampled = values[rows][:, columns]
    limit = float(np.quantile(np.abs(sampled), QUANTILE)) or 1.0
    places = np.round(LEVELS * (1 + np.clip(sampled / limit, -1, 1))).astype(np.uint8)
    picture = Image.fromarray(places)
    picture.putpalette([part for colour in theme.diverging(look.palette, 2 * LEVELS + 1) for part in _numbers(colour)])
    return picture


def layers_of_colour(values: np.ndarray, names: Sequence[str], *, look: Look) -> go.Figure:
    """The numbers of a patch (channel, row, column) as a map for each channel, under its name."""
    limit = float(np.abs(values).max()) or 1.0
    channels, _, wide = values.shape
    sheet = tiles(values, 1, channels)
    figure = heat(sheet, look=look, x="", y="", limits=(-limit, limit), tell="%{z:.2f}", height=230)
    figure.update_xaxes(tickvals=_middles(channels, wide), ticktext=list(names), side="top")
    return figure.update_yaxes(visible=False, scaleanchor="x", constrain="domain")


def maps_at_their_places(maps: np.ndarray, down: Sequence[int], across: Sequence[int], *, look: Look) -> go.Figure:
    """`maps` (place, row, column) from -1 to 1 as one sheet, each at its own place: rows `down`, columns `across`."""
    _, high, wide = maps.shape
    sheet, titles = tiles(maps, len(down), len(across)), {"x": "column of the patch", "y": "row of the patch"}
    figure = heat(sheet, look=look, **titles, limits=(-1, 1), tell="%{z:.2f}", height=400)
    for update, chosen, side in ((figure.update_xaxes, across, wide), (figure.update_yaxes, down, high)):
        update(tickvals=_middles(len(chosen), side), ticktext=list(map(str, chosen)), constrain="domain")
    figure.update_yaxes(scaleanchor="x")
    return figure.update_traces(xgap=0, ygap=0, showscale=False)


def _middles(count: int, side: int) -> list[float]:
    """Where the middles of `count` small maps lie that stand in a line, each `side` cells wide with one between."""
    return [number * (side + 1) + (side - 1) / 2 for number in range(count)]


def over_photograph(
    values: np.ndarray,
    photograph: np.ndarray,
    *,
    show_photograph: bool,
    title: str,
    look: Look,
    tell: str,
    height: int = 330,
) -> go.Figure:
    """A map (row, column) over a photograph (row, column, channel; uint8), or over the page without `show_photograph`.

    The scale runs from 0 to the largest value, which the title says. `tell` is Plotly's template for the sentence
    below the pointer, where %{customdata} is the place of the cell and %{z} its value.
    """
    rows, columns = values.shape
    high, wide = photograph.shape[:2]
    largest = float(values.max())
    colour = ", ".join(map(str, _numbers(look.palette.map)))
    ink = [[0, f"rgba({colour}, 0)"], [1, f"rgba({colour}, {INK})"]]
    figure = go.Figure(
        go.Heatmap(
            z=np.asarray(values, dtype=np.float32),
            x=(np.arange(columns) + 0.5) * wide / columns,
            y=(np.arange(rows) + 0.5) * high / rows,
            customdata=np.array([[f"row {row}, column {column}" for column in range(columns)] for row in range(rows)]),
            zmin=0,
            zmax=largest or 1.0,
            colorscale=ink if show_photograph else theme.colorscale(theme.sequential(look.palette)),
            showscale=False,
            hovertemplate=f"{tell}<extra></extra>",
        )
    )
    scale = f"0 to {largest:.2g}" if largest else "0 everywhere"
    return _framed(
        figure, pale(photograph, look) if show_photograph else None, title, scale, look, (wide, high), height
    )


def photograph_alone(photograph: np.ndarray, *, title: str, about: str, look: Look, height: int = 330) -> go.Figure:
    """A photograph (row, column, channel; uint8) in its own colours; two lines above it, the title and `about`."""
    high, wide = photograph.shape[:2]
    figure = go.Figure(go.Scatter(x=[0, wide], y=[0, high], mode="markers", opacity=0, hoverinfo="skip"))
    return _framed(figure, photograph, title, about, look, (wide, high), height)


def pale(photograph: np.ndarray, look: Look) -> np.ndarray:
    """Greys, half faded into the page, so that only the ink has a hue."""
    grey = (photograph @ np.array([0.299, 0.587, 0.114]))[..., None]
    return (grey + (np.array(_numbers(look.palette.paper)) - grey) * PALE).round().astype(np.uint8)


def _framed(
    figure: go.Figure,
    photograph: np.ndarray | None,
    title: str,
    about: str,
    look: Look,
    extent: tuple[int, int],
    height: int,
) -> go.Figure:
    """Over a photograph or nothing, without axes, in the photograph's own shape, two lines above it."""
    wide, high = extent
    if photograph is not None:
        figure.add_layout_image(
            source=_photograph(photograph), x=0, y=0, sizex=wide, sizey=high,
            xref="x", yref="y", xanchor="left", yanchor="top", sizing="stretch", layer="below",
        )  # fmt: skip
    on_paper(figure, look=look, height=height)
    figure.update_layout(margin={"l": 2, "r": 2, "t": round(8 + 2.7 * look.letters), "b": 2}, showlegend=False)
    figure.update_xaxes(visible=False, range=[0, wide], constrain="domain")
    figure.update_yaxes(visible=False, range=[high, 0], constrain="domain", scaleanchor="x", scaleratio=1)
    figure.add_shape(type="rect", x0=0, x1=wide, y0=0, y1=high, line={"color": look.palette.hair, "width": 1})
    figure.add_annotation(
        text=f"<b>{escape(title)}</b><br>{escape(about)}",
        x=0, xref="x", xanchor="left", y=0, yref="y", yanchor="bottom", align="left", showarrow=False,
    )  # fmt: skip
    return figure


def _photograph(photograph: np.ndarray) -> str:
    """The picture itself as an address; small ones are enlarged without being smoothed."""
    picture = Image.fromarray(photograph)
    scale = LONGEST / max(picture.size)
    wide, high = (max(1, round(side * scale)) for side in picture.size)
    picture = picture.resize((wide, high), Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.NEAREST)
    return picture_address(picture, "jpeg", quality=88)


def _numbers(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
