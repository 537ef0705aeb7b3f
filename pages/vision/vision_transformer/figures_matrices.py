"""Matrices side by side as pictures of their numbers, one row a token: how a sequence looks at several stages."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from dashboard import theme
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

GAP = 0.035  # between two matrices, as a share of the width
QUANTILE = 0.995  # of the numbers lie within the scale: single huge ones would leave the others pale
TALLEST, WIDEST = 800, 400  # rows and columns of numbers that are drawn; of more, evenly chosen ones


@dataclass(frozen=True)
class Matrix:
    """Numbers (token, channel) with what is written above them; the row `marked` is framed."""

    title: str
    about: str
    values: np.ndarray
    marked: int | None = None


def matrices(shown: Sequence[Matrix], *, look: Look, height: int = 320) -> go.Figure:
    """Signed numbers around the colour of the page, which is 0; each matrix has a scale of its own."""
    figure = go.Figure()
    title = 3.4 * look.letters
    on_paper(figure, look=look, height=round(height + title))
    width = (1 - GAP * (len(shown) - 1)) / len(shown)
    bottom_to_top = height / (height + title)
    figure.update_xaxes(visible=False, range=[0, 1])
    figure.update_yaxes(visible=False, range=[0, 1])
    figure.add_trace(go.Scatter(x=[], y=[]))
    tallest = max(len(each.values) for each in shown)
    for number, each in enumerate(shown):
        left = number * (width + GAP)
        tall = bottom_to_top * max(0.02, len(each.values) / tallest)
        bottom = bottom_to_top - tall
        place = {"xref": "paper", "yref": "paper"}
        figure.add_layout_image(
            source=_drawn(each.values, look),
            x=left,
            y=bottom_to_top,
            sizex=width,
            sizey=tall,
            sizing="stretch",
            **place,
        )
        frame = {"type": "rect", "x0": left, "x1": left + width, **place}
        figure.add_shape(**frame, y0=bottom, y1=bottom_to_top, line={"color": look.palette.hair, "width": 1})
        if each.marked is not None:
            step = tall / len(each.values)
            top = bottom_to_top - each.marked * step
            slack = max(0.0, 4 / (height + title) - step / 2)
            figure.add_shape(
                **frame, y0=top - step - slack, y1=top + slack, line={"color": look.palette.accent, "width": 1.6}
            )
        figure.add_annotation(
            text=f"{escape(each.title)}<br><span style='color:{look.palette.soft}'>{escape(each.about)}</span>",
            x=left, xanchor="left", y=bottom_to_top, yanchor="bottom", align="left", showarrow=False,
            font={"size": look.letters - 1}, **place,
        )  # fmt: skip
    return figure


def _drawn(values: np.ndarray, look: Look) -> str:
    """The numbers as a PNG, small ones repeated so that the browser need not blur them."""
    rows, columns = (np.linspace(0, count - 1, min(count, most)).round().astype(int) for count, most in _limits(values))
    shown = values[rows][:, columns]
    limit = float(np.quantile(np.abs(shown), QUANTILE)) or 1.0
    ramp = np.array([_rgb(colour) for colour in theme.diverging(look.palette, 257)], dtype=np.uint8)
    picture = ramp[np.round(128 + 128 * np.clip(shown / limit, -1, 1)).astype(int)]
    down, across = (max(1, -(-most // count)) for count, most in zip(picture.shape, (TALLEST, WIDEST), strict=False))
    file = io.BytesIO()
    Image.fromarray(picture.repeat(down, axis=0).repeat(across, axis=1)).save(file, "png")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def _limits(values: np.ndarray) -> tuple[tuple[int, int], tuple[int, int]]:
    return (values.shape[0], TALLEST), (values.shape[1], WIDEST)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
