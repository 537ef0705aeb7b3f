"""The position biases of all heads of a block, as small maps on one scale."""

import math

import numpy as np
import plotly.graph_objects as go

from dashboard import theme
from dashboard.figures.paper import on_paper
from dashboard.numbers import whole
from dashboard.theme import Look

FEWEST, MOST = 4, 8  # maps side by side, or room for them
ROOM = 800  # pixels for all of them, about
GAP = 0.12  # between two, as a share of a map's side


def bias_tables(tables: np.ndarray, *, look: Look, chosen: int, signed: bool) -> go.Figure:
    """Maps (head, row, column) over the distances in rows and columns, the chosen head outlined.

    One scale for all: around 0 where biases are `signed`, from 0 where they are not.
    """
    count, high, wide = tables.shape
    across = min(max(count, FEWEST), MOST)
    lines = math.ceil(count / across)
    largest = float(np.abs(tables).max()) or 1.0
    colours = theme.diverging(look.palette) if signed else theme.sequential(look.palette)
    figure = go.Figure()
    for head, table in enumerate(tables):
        line, place = divmod(head, across)
        suffix = "" if head == 0 else str(head + 1)
        begin = place * (1 + GAP) / (across + (across - 1) * GAP)
        end = begin + 1 / (across + (across - 1) * GAP)
        top = 1 - line / lines
        bottom = top - 0.84 / lines
        figure.add_trace(_small(table, head, suffix, (-largest if signed else 0.0, largest), colours, head == 0))
        figure.update_layout(
            {
                f"xaxis{suffix}": {"domain": [begin, end], "anchor": f"y{suffix}", "constrain": "domain"},
                f"yaxis{suffix}": {
                    "domain": [bottom, top - 0.1 / lines],
                    "anchor": f"x{suffix}",
                    "scaleanchor": f"x{suffix}",
                    "constrain": "domain",
                    "range": [high - 0.5, -0.5],
                },
            }
        )
        figure.add_annotation(
            text=f"<b>head {head}</b>" if head == chosen else f"head {head}",
            x=(begin + end) / 2,
            y=top,
            xref="paper",
            yref="paper",
            xanchor="center",
            yanchor="top",
            showarrow=False,
            font={"size": look.letters - 1, "color": look.palette.accent if head == chosen else look.palette.ink},
        )
        if head == chosen:
            figure.add_shape(
                type="rect",
                xref=f"x{suffix}",
                yref=f"y{suffix}",
                x0=-0.5,
                x1=wide - 0.5,
                y0=-0.5,
                y1=high - 0.5,
                line={"color": look.palette.accent, "width": 3},
            )
    on_paper(figure, look=look, height=round(lines * (ROOM / across + 2.2 * look.letters) + 16))
    figure.update_xaxes(visible=False, fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True)
    return figure


def _small(
    table: np.ndarray, head: int, suffix: str, limits: tuple[float, float], colours: tuple[str, ...], scale: bool
) -> go.Heatmap:
    high, wide = table.shape
    down = [whole(row - high // 2) for row in range(high)]
    across = [whole(column - wide // 2) for column in range(wide)]
    return go.Heatmap(
        z=table.astype(np.float32),
        customdata=[[f"{row} rows, {column} columns" for column in across] for row in down],
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        zmin=limits[0],
        zmax=limits[1],
        colorscale=theme.colorscale(colours),
        showscale=scale,
        colorbar={"thickness": 10, "outlinewidth": 0, "len": 0.8},
        hovertemplate=f"head {head}, %{{customdata}}: %{{z:.3f}}<extra></extra>",
    )
