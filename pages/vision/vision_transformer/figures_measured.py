"""What was measured as figures: models against what they cost, means row by row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look


@dataclass(frozen=True)
class Mark:
    """One model: its cost, its quality and the standard error of that."""

    name: str
    cost: float
    quality: float
    error: float


def quality_marks(
    marks: Sequence[Mark],
    *,
    hues: Mapping[str, str],
    look: Look,
    x: str,
    y: str,
    tell: str,
    height: int = 380,
) -> go.Figure:
    """A mark for each model with its name beside it; costs from 0, the quality as a share.

    `tell` is Plotly's template for the sentence below the pointer, where %{text} is the name.
    """
    figure = go.Figure()
    for mark in marks:
        figure.add_trace(
            go.Scatter(
                x=[mark.cost],
                y=[mark.quality],
                error_y={"array": [mark.error], "thickness": 1.5, "width": 4},
                mode="markers+text",
                text=[escape(mark.name)],
                textposition=_side(mark, marks),
                textfont={"size": look.letters - 1, "color": look.palette.ink},
                marker={"size": 11, "color": hues[mark.name]},
                cliponaxis=False,
                hovertemplate=f"{tell}<extra></extra>",
            )
        )
    on_paper(figure, look=look, height=height, x=x, y=y)
    least, most = min(mark.quality - mark.error for mark in marks), max(mark.quality + mark.error for mark in marks)
    room = 0.08 * (most - least) or 0.05
    figure.update_layout(showlegend=False)
    figure.update_xaxes(range=[0, 1.75 * max(mark.cost for mark in marks)], showgrid=False)
    # Whole percents would be written twice on an axis of so few of them.
    tickformat = ".1%" if most - least < 0.05 else ".0%"
    figure.update_yaxes(range=[least - room, most + room], tickformat=tickformat)
    return figure


def _side(mark: Mark, marks: Sequence[Mark]) -> str:
    """Names stand on the right, the cheapest model's on the left where it has room: no error bar crosses them.

    Names at about the same height part, one up and one down.
    """
    spread = max(point.quality for point in marks) - min(point.quality for point in marks) or 1.0
    cheapest, dearest = min(point.cost for point in marks), max(point.cost for point in marks)
    side = "left" if mark.cost == cheapest > 0.45 * dearest else "right"
    close = [point for point in marks if point != mark and abs(point.quality - mark.quality) < 0.08 * spread]
    if not close:
        return f"middle {side}"
    return f"top {side}" if mark.quality >= max(point.quality for point in close) else f"bottom {side}"


@dataclass(frozen=True)
class Row:
    """A line of a figure of means: a heading (no values), or a name with mean and standard error for each column."""

    name: str
    values: tuple[tuple[float, float], ...] = ()
    colour: str = ""


def means(rows: Sequence[Row], columns: Sequence[str], *, look: Look) -> go.Figure:
    """Rows from the top, columns beside one another, each with its own scale from 0; bars are standard errors."""
    figure = go.Figure()
    gap = 0.1
    width = (1 - gap * (len(columns) - 1)) / len(columns)
    for number, title in enumerate(columns):
        axis = "" if number == 0 else str(number + 1)
        for place, row in enumerate(rows):
            if row.values:
                figure.add_trace(_mean(row, place, number, title, axis))
        largest = max(sum(row.values[number]) for row in rows if row.values)
        left = number * (width + gap)
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": [left, left + width],
                    "anchor": "y",
                    "range": [0, 1.1 * largest],
                    "title": {"text": title},
                    "side": "top",
                    "nticks": 4,
                    "tickangle": 0,
                }
            }
        )
    on_paper(figure, look=look, height=round(64 + 1.3 * look.letters + 1.9 * look.letters * len(rows)))
    figure.update_layout(showlegend=False)
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        tickvals=list(range(len(rows))),
        ticktext=[escape(row.name) if row.values else f"<b>{escape(row.name)}</b>" for row in rows],
        tickfont={"color": look.palette.ink, "size": look.letters - 1},
        ticksuffix=" ",
    )
    return figure


def _mean(row: Row, place: int, number: int, title: str, axis: str) -> go.Scatter:
    mean, error = row.values[number]
    column = title.replace("<br>", " ")
    return go.Scatter(
        x=[mean],
        y=[place],
        xaxis=f"x{axis}",
        error_x={"array": [error], "thickness": 2, "width": 5},
        mode="markers",
        marker={"size": 10, "color": row.colour},
        customdata=[error],
        hovertemplate=f"{escape(row.name)}, {column}: %{{x:.3f}} ± %{{customdata:.3f}}<extra></extra>",
    )
