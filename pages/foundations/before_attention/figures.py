"""What fades with the distance, how many digits come back, and what each kind of layer costs: lines, one hue each."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.costs.complexity import WAYS, Sizes, crossover
from core.reach import copy_task
from dashboard.figures.curves import curves
from dashboard.theme import HUES, Look
from pages.foundations.before_attention.compute import TITLES

MODEL_HUES = dict(zip(TITLES.values(), (HUES[1], HUES[0], HUES[4], HUES[2], HUES[3]), strict=True))
LAYER_HUES = {
    "Self-attention, written out": HUES[1],
    "Self-attention, fused": HUES[3],
    "LSTM": HUES[0],
    "Convolution": HUES[2],
}
_WAY_HUES = dict(zip(WAYS, (HUES[3], HUES[0], HUES[2], HUES[5], HUES[4]), strict=True))
LOWEST = 1e-6  # of the curves, relative to the last character


def reach_curves(lines: Mapping[str, np.ndarray], *, look: Look) -> go.Figure:
    """The gradient norm of each model at each distance, relative to the last character; what is below LOWEST is not."""
    return curves(
        np.arange(len(next(iter(lines.values())))),
        {title: np.where(values >= LOWEST, values, np.nan) for title, values in lines.items()},
        look=look,
        x="characters before the last one",
        y="gradient norm (last character = 1)",
        tell="%{fullData.name}, %{x} characters before the last: %{y:.2g} of what the last one has",
        hues=MODEL_HUES,
        y_log=True,
        y_range=(LOWEST, 5),
        height=look.high(400),
    )


def copy_curves(accuracies: pd.DataFrame, distance: int, *, look: Look) -> go.Figure:
    """The share of right answers of each model (column) at each distance (index); `distance` is marked."""
    figure = curves(
        np.array(accuracies.index),
        {title: np.array(accuracies[title]) for title in accuracies},
        look=look,
        x="characters from a digit to its answer",
        y="right answers",
        tell="%{fullData.name}, distance %{x}: %{y:.0%} right",
        hues=MODEL_HUES,
        marks=True,
        y_range=(0, 1.04),
        height=look.high(360),
    )
    figure.update_yaxes(tickformat=".0%")
    for above, trace in enumerate(reversed(figure.data)):
        # Models that are always right lie on one another: those below are wider, and stay visible.
        trace.update(line_width=2 + above, marker_size=6 + 2 * above)
    figure.add_hline(
        y=copy_task.CHANCE,
        line={"color": look.palette.soft, "dash": "dot", "width": 1.5},
        annotation_position="bottom right",
        annotation={"text": "guessing", "font": {"color": look.palette.soft, "size": look.letters - 1}},
    )
    figure.add_vline(x=distance, line={"color": look.palette.accent, "dash": "dot", "width": 1.5})
    return figure


def way_curves(
    tokens: list[int], counted: Mapping[str, np.ndarray], sizes: Sizes, *, y: str, crossing: bool, look: Look
) -> go.Figure:
    """What is `counted` of each of WAYS at so many `tokens`, lines that are the same everywhere as one.

    The chosen size is marked, and with `crossing` where self-attention and recurrence need the same.
    """
    groups: dict[tuple[float, ...], list[str]] = {}
    for key, values in counted.items():
        groups.setdefault(tuple(values), []).append(key)
    first = {", ".join(WAYS[key].title for key in keys).capitalize(): keys[0] for keys in groups.values()}
    figure = curves(
        tokens,
        {name: counted[key] for name, key in first.items()},
        look=look,
        x="n, tokens",
        y=y,
        tell="%{fullData.name}, n = %{x:,}: %{y:,.3s}",
        hues={name: _WAY_HUES[key] for name, key in first.items()},
        x_log=True,
        y_log=True,
        height=look.high(400),
    )
    figure.update_xaxes(tickvals=tokens[::2], ticktext=[f"{n:,}" for n in tokens[::2]])
    figure.add_vline(x=sizes.n, line={"color": look.palette.accent, "dash": "dot", "width": 1.5})
    if crossing:
        meeting = crossover(sizes)["recurrent"]
        figure.add_scatter(
            x=[meeting],
            y=[WAYS["recurrent"].operations.of(Sizes(meeting, sizes.d, sizes.k, sizes.r))],
            name="n = d",
            mode="markers+text",
            text=["n = d"],
            textposition="bottom right",
            textfont={"color": look.palette.ink, "size": look.letters},
            marker={"size": 11, "color": look.palette.paper, "line": {"color": look.palette.ink, "width": 2}},
            hovertemplate=f"n = d = {meeting:,}: self-attention and recurrence need the same<extra></extra>",
            showlegend=False,
        )
    return figure
