"""How much better than chance each explanation is, in this review and over many."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

HERE, OVER = "this review", "mean of many"


@dataclass(frozen=True)
class Gain:
    """A row: an explanation, and for each column what it gains here and over many reviews with its interval."""

    name: str
    colour: str
    in_review: tuple[float, ...]
    over: tuple[tuple[float, float, float], ...] | None  # mean, low, high; None where nobody has measured it


def gains(rows: Sequence[Gain], columns: Sequence[str], *, look: Look) -> go.Figure:
    """Rows from the top, columns beside one another on one scale; 0 is what random orders reach.

    A filled mark with its interval is the mean over many reviews, an open one this review.
    """
    figure = go.Figure()
    gap = 0.06
    width = (1 - gap * (len(columns) - 1)) / len(columns)
    values = [0.0, *(value for row in rows for value in _values(row))]
    room = 0.08 * (max(values) - min(values)) or 1.0
    for number, title in enumerate(columns):
        axis = "" if number == 0 else str(number + 1)
        for place, row in enumerate(rows):
            if row.over is not None:
                figure.add_trace(_over(row, place, number, axis))
            figure.add_trace(_here(row, place, number, axis))
        left = number * (width + gap)
        shape = {"domain": [left, left + width], "anchor": "y", "side": "top", "nticks": 5, "tickangle": 0}
        scale = {"range": [min(values) - room, max(values) + room], "title": {"text": title}}
        figure.update_layout({f"xaxis{axis}": shape | scale})
        line = {"color": look.palette.ink, "width": 1, "dash": "dot"}
        figure.add_shape(type="line", x0=0, x1=0, y0=-0.5, y1=len(rows) - 0.5, xref=f"x{axis}", yref="y", line=line)
    on_paper(figure, look=look, height=round(64 + 1.6 * look.letters + 2.3 * look.letters * len(rows)))
    figure.update_layout(showlegend=False)
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        tickvals=list(range(len(rows))),
        ticktext=[escape(row.name) for row in rows],
        tickfont={"color": look.palette.ink, "size": look.letters - 1},
        ticksuffix=" ",
    )
    return figure


def _values(row: Gain) -> list[float]:
    return [*row.in_review, *(value for interval in row.over or () for value in interval)]


def _over(row: Gain, place: int, number: int, axis: str) -> go.Scatter:
    assert row.over is not None
    mean, low, high = row.over[number]
    return go.Scatter(
        x=[mean],
        y=[place],
        xaxis=f"x{axis}",
        error_x={"array": [high - mean], "arrayminus": [mean - low], "symmetric": False, "thickness": 2, "width": 5},
        mode="markers",
        marker={"size": 10, "color": row.colour},
        customdata=[[low, high]],
        hovertemplate=f"{escape(row.name)}, {OVER}: %{{x:.3f}} "
        "(%{customdata[0]:.3f} to %{customdata[1]:.3f})<extra></extra>",
    )


def _here(row: Gain, place: int, number: int, axis: str) -> go.Scatter:
    return go.Scatter(
        x=[row.in_review[number]],
        y=[place],
        xaxis=f"x{axis}",
        mode="markers",
        marker={"size": 11, "color": row.colour, "symbol": "diamond-open", "line": {"width": 2}},
        hovertemplate=f"{escape(row.name)}, {HERE}: %{{x:.3f}}<extra></extra>",
    )
