"""How several totals are divided among the same parts, as groups of horizontal bars."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look


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
