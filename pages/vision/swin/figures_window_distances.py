"""How far each head looks within its window, block by block, beside what even attention would come to there."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.distances import level_bars, side_by_side
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look


def window_distances(
    blocks: Sequence[str],
    heads: Sequence[np.ndarray],
    *,
    even: Sequence[float],
    look: Look,
    height: int = 360,
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
    figure.update_xaxes(
        type="linear",
        tickvals=list(range(len(names))),
        ticktext=names,
        range=[-0.6, len(names) - 0.4],
        showgrid=False,
    )
    figure.update_yaxes(rangemode="tozero")
    return figure
