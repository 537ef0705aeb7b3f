"""Figures that only image-GPT's sections draw."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import HUES, Look


def bits_bars(
    names: Sequence[str], bits: Sequence[float], errors: Sequence[float], *, even: float, look: Look, height: int
) -> go.Figure:
    """A bar for each way to tell the next pixel, with two standard errors; `even` guessing is an upright line."""
    figure = go.Figure(
        go.Bar(
            x=list(bits),
            y=list(range(len(names))),
            orientation="h",
            width=0.55,
            marker={"color": [HUES[0], *[look.palette.soft] * (len(names) - 1)]},
            error_x={"type": "data", "array": [2 * error for error in errors], "thickness": 1.4, "width": 0},
            customdata=[escape(name) for name in names],
            hovertemplate="%{customdata}: %{x:.2f} bits a pixel<extra></extra>",
        )
    )
    on_paper(
        figure,
        look=look,
        height=height,
        x="bits a pixel",
        xaxis={"range": [0, 1.12 * even], "showgrid": True},
        yaxis=names_axis(names, range=[len(names) - 0.4, -0.8], tickfont={"color": look.palette.ink}),
    )
    figure.add_vline(x=even, line={"color": look.palette.soft, "width": 1.4, "dash": "dot"})
    figure.add_annotation(
        x=even,
        y=-0.6,
        text="even guessing",
        showarrow=False,
        xanchor="right",
        xshift=-4,
        font={"size": look.letters - 2, "color": look.palette.soft},
    )
    return figure
