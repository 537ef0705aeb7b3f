"""A matrix as a map: one cell for each number, in the colour of the page for zero."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard import theme
from dashboard.figures.paper import in_lines, on_paper
from dashboard.theme import Look

MOST_WITH_GAPS = 48  # rows or columns: up to here there is a gap between cells


def heat(
    values: np.ndarray,
    *,
    look: Look,
    x: str,
    y: str,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    limits: tuple[float, float] | None = None,
    tell: str = "%{y}, %{x}: %{z:.3g}",
    height: int = 420,
) -> go.Figure:
    """A map of `values` (row, column), the first row on top.

    `limits` are the values of the two ends of the scale; a lower end below 0 makes the scale signed, diverging around
    the page's own colour. Without limits: 0 to the largest value, or symmetric where there are negative ones.
    `tell` is Plotly's template for the sentence below the pointer.
    """
    low, high = limits or limits_of(values)
    colours = theme.diverging(look.palette) if low < 0 else theme.sequential(look.palette)
    gap = 0.5 if max(values.shape) <= MOST_WITH_GAPS else 0
    figure = go.Figure(
        go.Heatmap(
            z=np.asarray(values, dtype=np.float32),
            zmin=low,
            zmax=high,
            colorscale=theme.colorscale(colours),
            hovertemplate=f"{tell}<extra></extra>",
            colorbar={"thickness": 10, "outlinewidth": 0, "len": 0.7, "tickfont": {"size": look.letters - 2}},
            # Without gaps Plotly paints one image, with them a shape for each cell.
            xgap=gap,
            ygap=gap,
        )
    )
    quiet = {"showgrid": False, "tickcolor": look.palette.hair}
    xaxis, yaxis = quiet | _tick_labels(columns), quiet | _tick_labels(rows) | {"autorange": "reversed"}
    return on_paper(figure, look=look, height=height, x=x, y=y, xaxis=xaxis, yaxis=yaxis)


def _tick_labels(labels: Sequence[str] | None) -> dict[str, list]:
    """The settings of an axis with labels, whose newlines are kept."""
    if labels is None:
        return {}
    return {"tickvals": list(range(len(labels))), "ticktext": [in_lines(label) for label in labels]}


def limits_of(values: np.ndarray) -> tuple[float, float]:
    """Both ends of the scale for these values: 0 to the largest, or symmetric where there are negative ones."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    largest = float(np.abs(finite).max()) or 1.0
    return (-largest if finite.min() < 0 else 0.0), largest
