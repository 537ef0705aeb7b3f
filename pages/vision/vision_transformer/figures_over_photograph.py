"""A map over the photograph that it is about: nothing drawn where it is zero, full ink where it is largest."""

import base64
from io import BytesIO

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from dashboard import theme
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

INK = 0.92  # of the strongest cell: the photograph's texture stays to be seen
PALE = 0.5  # how far the photograph fades into the page below a map
LONGEST = 560  # pixels of the photograph's longer side: a figure is hardly wider


def over_photograph(
    values: np.ndarray,
    photograph: np.ndarray,
    *,
    shown: bool,
    title: str,
    look: Look,
    tell: str,
    height: int = 330,
) -> go.Figure:
    """A map (row, column) over a photograph (row, column, channel; uint8), or over the page if it is not `shown`.

    The scale runs from 0 to the largest value, which the title says. `tell` is Plotly's template for the sentence
    below the pointer, where %{customdata} is the place of the cell and %{z} its value.
    """
    rows, columns = values.shape
    high, wide = photograph.shape[:2]
    largest = float(values.max())
    places = np.array([[f"row {row}, column {column}" for column in range(columns)] for row in range(rows)])
    figure = go.Figure(
        go.Heatmap(
            z=np.asarray(values, dtype=np.float32),
            x=(np.arange(columns) + 0.5) * wide / columns,
            y=(np.arange(rows) + 0.5) * high / rows,
            customdata=places,
            zmin=0,
            zmax=largest or 1.0,
            colorscale=_ink(look) if shown else theme.colorscale(theme.sequential(look.palette)),
            showscale=False,
            hovertemplate=f"{tell}<extra></extra>",
        )
    )
    if shown:
        _lay_below(figure, pale(photograph, look), wide, high)
    scale = f"0 to {largest:.2g}" if largest else "0 everywhere"
    return _framed(figure, f"<b>{escape(title)}</b><br>{scale}", look, (wide, high), height)


def photograph_alone(photograph: np.ndarray, *, title: str, about: str, look: Look, height: int = 330) -> go.Figure:
    """A photograph (row, column, channel; uint8) in its own colours; two lines above it, the title and `about`."""
    high, wide = photograph.shape[:2]
    figure = go.Figure(go.Scatter(x=[0, wide], y=[0, high], mode="markers", opacity=0, hoverinfo="skip"))
    _lay_below(figure, photograph, wide, high)
    return _framed(figure, f"<b>{escape(title)}</b><br>{escape(about)}", look, (wide, high), height)


def pale(photograph: np.ndarray, look: Look) -> np.ndarray:
    """Greys, half faded into the page, so that only the ink has a hue."""
    grey = photograph @ np.array([0.299, 0.587, 0.114])
    return (
        (grey[..., None] + (np.array(_numbers(look.palette.paper)) - grey[..., None]) * PALE).round().astype(np.uint8)
    )


def _framed(figure: go.Figure, title: str, look: Look, extent: tuple[int, int], height: int) -> go.Figure:
    """Without axes, in the photograph's own shape, the title above it."""
    on_paper(figure, look=look, height=height)
    wide, high = extent
    lines = 1 + title.count("<br>")
    figure.update_layout(margin={"l": 2, "r": 2, "t": round(8 + 1.35 * look.letters * lines), "b": 2}, showlegend=False)
    figure.update_xaxes(visible=False, range=[0, wide], constrain="domain")
    figure.update_yaxes(visible=False, range=[high, 0], constrain="domain", scaleanchor="x", scaleratio=1)
    figure.add_shape(type="rect", x0=0, x1=wide, y0=0, y1=high, line={"color": look.palette.hair, "width": 1})
    figure.add_annotation(
        text=title, x=0, xref="x", xanchor="left", y=0, yref="y", yanchor="bottom", align="left", showarrow=False,
    )  # fmt: skip
    return figure


def _lay_below(figure: go.Figure, photograph: np.ndarray, wide: int, high: int) -> None:
    figure.add_layout_image(
        source=_address(photograph), x=0, y=0, sizex=wide, sizey=high,
        xref="x", yref="y", xanchor="left", yanchor="top", sizing="stretch", layer="below",
    )  # fmt: skip


def _address(photograph: np.ndarray) -> str:
    """The picture itself as an address; small ones are enlarged without being smoothed."""
    picture = Image.fromarray(photograph)
    scale = LONGEST / max(picture.size)
    wide, high = (max(1, round(side * scale)) for side in picture.size)
    picture = picture.resize((wide, high), Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.NEAREST)
    file = BytesIO()
    picture.save(file, "JPEG", quality=88)
    return f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}"


def _ink(look: Look) -> list[list]:
    colour = ", ".join(map(str, _numbers(look.palette.map)))
    return [[0, f"rgba({colour}, 0)"], [1, f"rgba({colour}, {INK})"]]


def _numbers(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
