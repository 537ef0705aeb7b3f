"""Differences of two things, row by row: bars from a middle line, to the side of the one that is ahead."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look


@dataclass(frozen=True)
class Difference:
    """A row: its name, the difference, how far it may be off (NaN: not known), and the sentence below the pointer."""

    name: str
    value: float
    error: float
    tell: str


def differences(
    rows: Sequence[Difference],
    *,
    look: Look,
    x: str,
    colours: tuple[str, str],
) -> go.Figure:
    """The first row on top; `colours` are those of bars to the right and to the left."""
    figure = go.Figure(
        go.Bar(
            x=[row.value for row in rows],
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": [colours[0] if row.value >= 0 else colours[1] for row in rows]},
            customdata=[escape(row.tell) for row in rows],
            hovertemplate="%{customdata}<extra></extra>",
            showlegend=False,
        )
    )
    figure.add_trace(_whiskers(rows, look))
    on_paper(figure, look=look, height=round(90 + 2.6 * look.letters * max(len(rows), 2)), x=x)
    reach = max((abs(row.value) + (row.error if row.error == row.error else 0) for row in rows), default=1.0) or 1.0
    figure.update_layout(bargap=0.42)
    figure.update_xaxes(
        range=[-1.12 * reach, 1.12 * reach], zeroline=True, zerolinecolor=look.palette.ink, zerolinewidth=1
    )
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        tickvals=list(range(len(rows))),
        ticktext=[escape(row.name) for row in rows],
        tickfont={"color": look.palette.ink, "size": look.letters - 1},
        ticksuffix="  ",
    )
    return figure


def _whiskers(rows: Sequence[Difference], look: Look) -> go.Scatter:
    """Only where the error is known: none is not zero."""
    known = [(place, row) for place, row in enumerate(rows) if row.error == row.error]
    return go.Scatter(
        x=[row.value for _, row in known],
        y=[place for place, _ in known],
        mode="markers",
        marker={"size": 1, "color": look.palette.ink},
        error_x={"array": [row.error for _, row in known], "color": look.palette.ink, "thickness": 1.5, "width": 5},
        hoverinfo="skip",
        showlegend=False,
    )
