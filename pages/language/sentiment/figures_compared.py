"""Accuracies with their intervals beside published ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import HUES, Look


@dataclass(frozen=True)
class Beside:
    """A row: an accuracy here with its interval, one that was published, or both."""

    name: str
    measured: tuple[float, float, float] | None  # value, low, high
    published: float | None


def beside(rows: Sequence[Beside], *, look: Look) -> go.Figure:
    """A full dot with its interval for what was measured here, an open diamond for what was published."""
    own = [(place, row.name, row.measured) for place, row in enumerate(rows) if row.measured]
    theirs = [(place, row.name, row.published) for place, row in enumerate(rows) if row.published is not None]
    figure = go.Figure(
        go.Scatter(
            x=[value for _, _, (value, _, _) in own],
            y=[place for place, *_ in own],
            name="here",
            mode="markers",
            marker={"size": 11, "color": HUES[0]},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [high - value for _, _, (value, _, high) in own],
                "arrayminus": [value - low for _, _, (value, low, _) in own],
                "color": HUES[0],
                "thickness": 1.6,
                "width": 5,
            },
            customdata=[f"{escape(name)}: {of[0]:.1%} here ({of[1]:.1%} to {of[2]:.1%})" for _, name, of in own],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[value for *_, value in theirs],
            y=[place for place, *_ in theirs],
            name="published",
            mode="markers",
            marker={"size": 12, "symbol": "diamond-open", "color": HUES[1], "line": {"width": 2}},
            customdata=[f"{escape(name)}: {value:.1%} published" for _, name, value in theirs],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    ends = [end for *_, of in own for end in of] + [value for *_, value in theirs]
    room = 0.06 * (max(ends) - min(ends)) + 0.002
    return on_paper(
        figure,
        look=look,
        height=100 + round(2.5 * look.letters) * len(rows),
        x="accuracy: share of right predictions",
        margin={"t": 34},
        xaxis={"range": [min(ends) - room, max(ends) + room], "tickformat": ".1%", "showgrid": True},
        yaxis=names_axis([row.name for row in rows], range=[len(rows) - 0.4, -0.6]),
    )
