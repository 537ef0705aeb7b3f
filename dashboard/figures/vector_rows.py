"""Vectors as thin strips below one another, each as wide as the figure: a cell for each of its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard import theme
from dashboard.figures.paper import escape, on_paper
from dashboard.number_format import signed
from dashboard.theme import Look

STRIP = 1.5  # heights of a letter
TITLE = 1.7


@dataclass(frozen=True)
class Row:
    """One vector with the title above it; `name` begins the sentence below the pointer."""

    title: str
    name: str
    values: np.ndarray


def vector_rows(rows: Sequence[Row], *, look: Look, one_scale: bool = False) -> go.Figure:
    """Signed strips around the colour of the page, which is 0.

    Each strip has its own scale, whose limit is in the title; with `one_scale` all share one, so that strips can be
    added up by eye.
    """
    figure, axes = go.Figure(), dict[str, Any]()
    shapes, titles = list[dict](), list[dict]()
    common_limit = max((_reach(row.values) for row in rows), default=1.0)
    height = len(rows) * (STRIP + TITLE)
    for number, row in enumerate(rows):
        limit = common_limit if one_scale else _reach(row.values)
        top = 1 - (number * (STRIP + TITLE) + TITLE) / height
        suffix = "" if number == 0 else str(number + 1)
        figure.add_trace(
            go.Heatmap(
                z=np.asarray(row.values, dtype=np.float32)[None],
                xaxis=f"x{suffix}",
                yaxis=f"y{suffix}",
                zmin=-limit,
                zmax=limit,
                colorscale=theme.colorscale(theme.diverging(look.palette)),
                showscale=False,
                hovertemplate=f"{escape(row.name)}, number %{{x}} of {len(row.values)}: %{{z:.4f}}<extra></extra>",
                name=row.name,
            )
        )
        bottom = max(0.0, top - STRIP / height)
        axes[f"xaxis{suffix}"] = {"visible": False, "fixedrange": True, "anchor": f"y{suffix}"}
        axes[f"yaxis{suffix}"] = {"visible": False, "fixedrange": True, "domain": [bottom, top]}
        text = f"{row.title} <span style='color:{look.palette.soft}'>up to ±{signed(_reach(row.values))}</span>"
        position = {"x": 0, "xref": "paper", "xanchor": "left", "y": top, "yref": "paper", "yanchor": "bottom"}
        titles.append({"text": text, "showarrow": False, "font": {"size": look.letters - 1}, **position})
        frame = {"type": "rect", "xref": "paper", "yref": "paper", "x0": 0, "x1": 1, "y0": bottom, "y1": top}
        shapes.append({**frame, "line": {"color": look.palette.hair, "width": 1}})
    tall = round(12 + height * look.letters)
    return on_paper(figure, look=look, height=tall, annotations=titles, shapes=shapes, **axes)


def _reach(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0
