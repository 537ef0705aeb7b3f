"""What is most probable after each layer at each token: the word in the cell, its probability as the shade."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard import theme
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

ROOM = 110  # letters that can be read side by side in all cells of a row


def lens_grid(
    words: Sequence[Sequence[str]],
    probability: np.ndarray,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    look: Look,
) -> go.Figure:
    """A cell for each row (layer) and column (token); the last row, the model's own answer, is at the bottom."""
    room = min(12, max(3, ROOM // max(1, len(columns))))
    cut = [[escape(word if len(word) <= room else f"{word[: room - 1]}…") for word in row] for row in words]
    figure = go.Figure(
        go.Heatmap(
            z=probability,
            text=cut,
            customdata=np.array([[escape(word) for word in row] for row in words], dtype=object),
            texttemplate="%{text}",
            textfont={"size": look.letters},
            zmin=0,
            zmax=1,
            colorscale=theme.colorscale(theme.sequential(look.palette)),
            xgap=1.5,
            ygap=1.5,
            hovertemplate="after block %{y}, at “%{x}”: “%{customdata}” with %{z:.1%}<extra></extra>",
            colorbar={"thickness": 10, "outlinewidth": 0, "len": 0.8, "tickformat": ".0%"},
        )
    )
    on_paper(figure, look=look.sized(1), height=90 + 2 * look.letters * len(rows), x="", y="after block")
    figure.update_yaxes(autorange="reversed", tickvals=list(range(len(rows))), ticktext=list(rows), showgrid=False)
    figure.update_xaxes(
        side="top", tickvals=list(range(len(columns))), ticktext=[escape(label) for label in columns], showgrid=False
    )
    return figure
