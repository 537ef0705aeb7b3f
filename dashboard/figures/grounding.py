"""Scores of the pointing game: a point for each method and network, with its error; baselines as lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import HUES, Look


@dataclass(frozen=True)
class Scored:
    """The score of a network and a method (`way`): a share with its standard error, over so many words."""

    model: str
    way: str
    share: float
    error: float
    words: int


def grounding_points(
    rows: Sequence[Scored], baselines: Mapping[str, float], *, look: Look, x: str, height: int, unit: str = "words"
) -> go.Figure:
    """One line of points for each network, methods from top to bottom; `baselines` are upright lines by name.

    `unit`: the things that are counted, in the plural.
    """
    figure = go.Figure()
    methods = list(dict.fromkeys(row.way for row in rows))
    models = list(dict.fromkeys(row.model for row in rows))
    for number, model in enumerate(models):
        rows_of_model = [row for row in rows if row.model == model]
        shift = 0.5 * (number - (len(models) - 1) / 2) / max(1, len(models))
        figure.add_trace(
            go.Scatter(
                x=[row.share for row in rows_of_model],
                y=[methods.index(row.way) + shift for row in rows_of_model],
                error_x={
                    "type": "data",
                    "array": [2 * row.error for row in rows_of_model],
                    "thickness": 1.4,
                    "width": 0,
                },
                mode="markers",
                name=escape(model),
                marker={"color": HUES[number % len(HUES)], "size": 11},
                customdata=[[escape(row.way), row.words] for row in rows_of_model],
                hovertemplate="%{customdata[0]}: %{x:.1%} of %{customdata[1]:,} "
                f"{escape(unit)}<extra>%{{fullData.name}}</extra>",
            )
        )
    on_paper(
        figure,
        look=look,
        height=height,
        x=x,
        xaxis={"range": [0, 1.02], "tickformat": ".0%", "showgrid": True},
        yaxis=names_axis(methods, range=[len(methods) - 0.4, -0.6], tickfont={"color": look.palette.ink}),
        margin={"t": 48},
    )
    for number, (name, share) in enumerate(baselines.items()):
        figure.add_vline(x=share, line={"color": look.palette.soft, "width": 1.4, "dash": "dot"})
        figure.add_annotation(
            x=share,
            y=len(methods) - 0.5 - 0.3 * number,
            text=escape(name),
            showarrow=False,
            xanchor="left",
            xshift=4,
            bgcolor=look.palette.paper,
            font={"size": look.letters - 2, "color": look.palette.soft},
        )
    return figure
