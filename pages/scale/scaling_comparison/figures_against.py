"""Many against one, row by row: small marks for all, a large one for the chosen, a line for what all are against."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look


def against(
    rows: Sequence[str],
    scores: Float[np.ndarray, "row"],
    others: Sequence[Float[np.ndarray, "point"]],
    chosen: Float[np.ndarray, "row"],
    *,
    labels: Sequence[str],
    people: Float[np.ndarray, "row"],
    name: str,
    look: Look,
    x: str,
) -> go.Figure:
    """`others` (a row each) and `chosen` are differences from `people`; `labels` name the others, `name` the chosen."""
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=np.concatenate(list(others)),
            y=np.repeat(np.arange(len(rows)), [len(row) for row in others]),
            mode="markers",
            name="all entries",
            marker={"size": look.letters - 6, "color": look.palette.soft, "opacity": 0.45},
            text=[
                f"{escape(label)}, {escape(row)}: {value + human:.1f}, {_signed(value)} against people ({human:.1f})"
                for row, values, human in zip(rows, others, people, strict=True)
                for label, value in zip(labels, values, strict=True)
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=chosen,
            y=list(range(len(rows))),
            mode="markers",
            name=escape(name),
            marker={
                "size": look.letters,
                "color": [look.palette.map if value >= 0 else look.palette.negative for value in chosen],
                "line": {"width": 1, "color": look.palette.paper},
            },
            cliponaxis=False,
            customdata=[
                f"{escape(name)}, {escape(row)}: {score:.1f}, people {human:.1f}"
                for row, score, human in zip(rows, scores, people, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    on_paper(figure, look=look, height=round(100 + 2.3 * look.letters * len(rows)), x=x)
    figure.add_vline(x=0, line={"color": look.palette.ink, "width": 1.5}, layer="below")
    figure.add_annotation(
        x=0, y=1, yref="paper", yanchor="bottom", text="people", showarrow=False,
        font={"size": look.letters - 1, "color": look.palette.ink},
    )  # fmt: skip
    for place, value in enumerate(chosen):
        figure.add_annotation(
            x=1, xref="paper", y=place, xanchor="right", text=f"<b>{_signed(value)}</b>", showarrow=False,
            font={"size": look.letters - 1, "color": look.palette.map if value >= 0 else look.palette.negative},
        )  # fmt: skip
    every = np.concatenate([*others, chosen])
    room = 0.04 * float(np.ptp(every))
    figure.update_xaxes(range=[float(every.min()) - room, float(every.max()) + 4 * room])
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        showgrid=True,
        tickvals=list(range(len(rows))),
        ticktext=[escape(row) for row in rows],
        tickfont={"color": look.palette.ink, "size": look.letters - 1},
        ticksuffix="  ",
    )
    figure.update_layout(showlegend=False, margin={"t": 34})
    return figure


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")
