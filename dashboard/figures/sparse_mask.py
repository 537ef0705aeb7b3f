"""Which key each query looks at, coloured by the kind of link, as in figure 1 of the BigBird paper."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Palette


def sparse_mask(
    parts: Mapping[str, np.ndarray],
    *,
    hues: Mapping[str, str],
    palette: Palette,
    tokens: int,
    height: int = 420,
    size: int = 14,
) -> go.Figure:
    """`parts`: for each kind of link a boolean matrix (query, key); where kinds overlap the first is drawn.

    The matrices may be coarser than the text of `tokens` tokens; the axes count tokens.
    """
    rows, columns = next(iter(parts.values())).shape
    kinds = np.zeros((rows, columns), dtype=np.uint8)
    for number, part in reversed(list(enumerate(parts.values(), start=1))):
        kinds[part] = number
    names = ["no link", *parts]
    colours = [palette.paper, *(hues[name] for name in parts)]
    edges = np.linspace(0, 1, len(colours) + 1)
    scale = [[edge, colour] for place, colour in enumerate(colours) for edge in edges[place : place + 2]]
    figure = go.Figure(
        go.Heatmap(
            z=kinds,
            x0=tokens / columns / 2 - 0.5,
            dx=tokens / columns,
            y0=tokens / rows / 2 - 0.5,
            dy=tokens / rows,
            zmin=-0.5,
            zmax=len(colours) - 0.5,
            colorscale=scale,
            showscale=False,
            text=np.array(names, dtype=object)[kinds] if kinds.size <= 10_000 else None,
            hovertemplate="query %{y:.0f}, key %{x:.0f}<extra></extra>",
        )
    )
    for name in parts:
        figure.add_trace(
            go.Scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=escape(name),
                marker={"symbol": "square", "size": 11, "color": hues[name]},
            )
        )
    on_paper(figure, palette=palette, height=height, size=size, x="key", y="query")
    figure.update_xaxes(showgrid=False, range=[-0.5, tokens - 0.5])
    figure.update_yaxes(showgrid=False, range=[tokens - 0.5, -0.5])
    figure.update_layout(showlegend=True, margin={"t": 30})
    return figure
