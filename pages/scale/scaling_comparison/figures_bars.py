"""Rows of one quantity: differences of two models, many entries against people, the memory of a training."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look
from pages.scale.scaling_comparison.selection import difference


def differences(
    names: Sequence[str],
    values: Float[np.ndarray, "row"],
    errors: Float[np.ndarray, "row"],
    tell: Sequence[str],
    *,
    look: Look,
    x: str,
    colours: tuple[str, str],
) -> go.Figure:
    """Bars from a middle line, the first row on top; `colours` are those of bars to the right and to the left.

    `errors` say how far the `values` may be off (NaN: not known), `tell` what stands below the pointer.
    """
    known = ~np.isnan(errors)  # an error that is not known is not zero
    figure = go.Figure(
        [
            go.Bar(
                x=values,
                y=list(range(len(names))),
                orientation="h",
                marker={"color": [colours[0] if value >= 0 else colours[1] for value in values]},
                customdata=[escape(text) for text in tell],
                hovertemplate="%{customdata}<extra></extra>",
            ),
            go.Scatter(
                x=values[known],
                y=np.flatnonzero(known),
                mode="markers",
                marker={"size": 1, "color": look.palette.ink},
                error_x={"array": errors[known], "color": look.palette.ink, "thickness": 1.5, "width": 5},
                hoverinfo="skip",
            ),
        ]
    )
    on_paper(figure, look=look, height=round(90 + 2.6 * look.letters * max(len(names), 2)), x=x)
    reach = float((np.abs(values) + np.nan_to_num(errors)).max()) or 1.0
    figure.update_layout(bargap=0.42, showlegend=False)
    figure.update_xaxes(
        range=[-1.12 * reach, 1.12 * reach], zeroline=True, zerolinecolor=look.palette.ink, zerolinewidth=1
    )
    _name_rows(figure, names, look)
    return figure


def against(
    rows: Sequence[str],
    scores: Float[np.ndarray, "row"],
    others: Sequence[Float[np.ndarray, "point"]],
    people: Float[np.ndarray, "row"],
    *,
    labels: Sequence[str],
    name: str,
    look: Look,
    x: str,
) -> go.Figure:
    """Small marks for the scores of all `others` (a row each, named by `labels`), a large one for those of `name`.

    All as differences from `people`, who are the line in the middle.
    """
    chosen = scores - people
    colours = [look.palette.map if value >= 0 else look.palette.negative for value in chosen]
    figure = go.Figure(
        [
            go.Scatter(
                x=np.concatenate([row - human for row, human in zip(others, people, strict=True)]),
                y=np.repeat(np.arange(len(rows)), [len(row) for row in others]),
                mode="markers",
                marker={"size": look.letters - 6, "color": look.palette.soft, "opacity": 0.7},
                text=[
                    f"{escape(label)}, {escape(task)}: {score:.1f}, {difference(score - human)} against people "
                    f"({human:.1f})"
                    for task, row, human in zip(rows, others, people, strict=True)
                    for label, score in zip(labels, row, strict=True)
                ],
                hovertemplate="%{text}<extra></extra>",
            ),
            go.Scatter(
                x=chosen,
                y=list(range(len(rows))),
                mode="markers",
                marker={"size": look.letters, "color": colours, "line": {"width": 1, "color": look.palette.paper}},
                cliponaxis=False,
                customdata=[
                    f"{escape(name)}, {escape(task)}: {score:.1f}, people {human:.1f}"
                    for task, score, human in zip(rows, scores, people, strict=True)
                ],
                hovertemplate="%{customdata}<extra></extra>",
            ),
        ]
    )
    on_paper(figure, look=look, height=round(100 + 2.3 * look.letters * len(rows)), x=x)
    figure.add_vline(x=0, line={"color": look.palette.ink, "width": 1.5}, layer="below")
    figure.add_annotation(
        x=0, y=1, yref="paper", yanchor="bottom", text="people", showarrow=False,
        font={"size": look.letters - 1, "color": look.palette.ink},
    )  # fmt: skip
    for place, (value, colour) in enumerate(zip(chosen, colours, strict=True)):
        figure.add_annotation(
            x=1, xref="paper", y=place, xanchor="right", text=f"<b>{difference(value)}</b>", showarrow=False,
            font={"size": look.letters - 1, "color": colour},
        )  # fmt: skip
    every = np.concatenate([figure.data[0].x, chosen])
    room = 0.04 * float(np.ptp(every))
    figure.update_xaxes(range=[float(every.min()) - room, float(every.max()) + 4 * room])
    figure.update_layout(showlegend=False, margin={"t": 34})
    _name_rows(figure, rows, look, grid=True)
    return figure


def _name_rows(figure: go.Figure, names: Sequence[str], look: Look, *, grid: bool = False) -> None:
    figure.update_yaxes(
        range=[len(names) - 0.5, -0.5],
        showgrid=grid,
        tickvals=list(range(len(names))),
        ticktext=[escape(name) for name in names],
        tickfont={"color": look.palette.ink, "size": look.letters - 1},
        ticksuffix="  ",
    )


def memory_bar(parts: Mapping[str, float], limit: float, *, device: str, look: Look) -> go.Figure:
    """Gigabytes of each part, stacked along one bar, and a rule where the device is full."""
    figure = go.Figure(
        [
            go.Bar(
                x=[gigabytes],
                y=[""],
                orientation="h",
                name=escape(name),
                marker={"color": HUES[number]},
                hovertemplate=f"{escape(name)}: %{{x:,.3g}} GB<extra></extra>",
            )
            for number, (name, gigabytes) in enumerate(parts.items())
        ]
    )
    on_paper(figure, look=look, height=210, x="gigabytes")
    figure.add_vline(x=limit, line={"color": look.palette.accent, "width": 2})
    most = 1.15 * max(limit, sum(parts.values()))
    figure.add_annotation(
        x=limit,
        # Towards the side where there is room for it.
        xanchor="left" if limit < most / 2 else "right",
        y=1, yref="paper", yanchor="bottom", text=escape(device), showarrow=False, font={"color": look.palette.accent},
    )  # fmt: skip
    figure.update_layout(barmode="stack", legend={"y": 1.3, "traceorder": "normal"}, margin={"t": 30})
    figure.update_xaxes(range=[0, most])
    return figure
