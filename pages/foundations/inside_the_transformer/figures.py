"""What is most probable after each layer at each token, and how totals are divided among parts."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard import theme
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look

ROOM = 110  # letters that can be read side by side in all cells of a row


def lens_grid(
    words: Sequence[Sequence[str]],
    probability: np.ndarray,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    look: Look,
) -> go.Figure:
    """A cell for each row (layer) and column (token): the most probable word, its probability as the shade.

    The last row, the model's own answer, is at the bottom.
    """
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


def share_bars(parts: Sequence[str], shares: Mapping[str, Sequence[float]], *, look: Look) -> go.Figure:
    """For each part, from the top, one bar for each total in `shares`: its share of it, 0 to 1, written beside it."""
    figure = go.Figure()
    for number, (name, values) in enumerate(shares.items()):
        figure.add_trace(
            go.Bar(
                x=list(values),
                y=list(range(len(parts))),
                name=escape(name),
                orientation="h",
                marker={"color": HUES[number % len(HUES)], "line": {"width": 0}},
                text=[f"{value:.1%}" if value else "" for value in values],
                textposition="outside",
                textfont={"size": look.letters - 2},
                cliponaxis=False,
                customdata=[escape(part) for part in parts],
                hovertemplate="%{customdata}: %{x:.2%} of the %{fullData.name}<extra></extra>",
            )
        )
    on_paper(
        figure,
        look=look,
        height=round(80 + len(parts) * len(shares) * 1.5 * look.letters),
        x="share of the total",
    )
    largest = max((max(values, default=0) for values in shares.values()), default=0)
    figure.update_layout(bargap=0.25, showlegend=True, legend={"traceorder": "normal"}, margin={"t": 34})
    figure.update_xaxes(range=[0, 1.15 * largest or 1], tickformat=".0%", showgrid=False)
    figure.update_yaxes(
        autorange="reversed",
        showgrid=False,
        tickvals=list(range(len(parts))),
        ticktext=[escape(part) for part in parts],
    )
    return figure
