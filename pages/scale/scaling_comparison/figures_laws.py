"""Losses of training runs against their compute, with a fitted law; and what it predicts beside what was measured."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float
from numpy import ndarray

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look

FITTED, HELD_OUT, LAW = HUES[0], HUES[1], HUES[2]


@dataclass(frozen=True)
class Runs:
    """What is drawn: compute, loss and predicted loss of each run, whether it was held out, and what is told of it."""

    flops: Float[ndarray, " point"]
    loss: Float[ndarray, " point"]
    predicted: Float[ndarray, " point"]
    held_out: Bool[ndarray, " point"]
    told: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """The law along the compute: the lowest loss that it allows, and the band of its resamples."""

    flops: Float[ndarray, " place"]
    loss: Float[ndarray, " place"]
    low: Float[ndarray, " place"]
    high: Float[ndarray, " place"]


def loss_against_compute(runs: Runs, line: Line, *, look: Look, y: str, height: int = 440) -> go.Figure:
    """Runs as points, the law as a line with its band; both axes logarithmic."""
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=np.concatenate([line.flops, line.flops[::-1]]),
            y=np.concatenate([line.high, line.low[::-1]]),
            fill="toself",
            fillcolor=_faint(LAW),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=line.flops,
            y=line.loss,
            name="lowest loss that the law allows",
            line={"color": LAW, "width": 2.4},
            hovertemplate="%{x:.2e} FLOPs: the law allows %{y:.3f}<extra></extra>",
        )
    )
    _points(figure, runs, runs.flops, runs.loss)
    on_paper(figure, look=look, height=height, x="training compute, FLOPs", y=y)
    figure.update_layout(margin={"r": 18})  # where half of the last power stands out
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, showgrid=False)
    figure.update_yaxes(type="log", tickvals=_ticks(runs.loss, line.loss))
    return figure


def predicted_against_measured(runs: Runs, *, look: Look, height: int = 440) -> go.Figure:
    """On the diagonal the law is right."""
    figure = go.Figure()
    ends = [min(runs.loss.min(), runs.predicted.min()), max(runs.loss.max(), runs.predicted.max())]
    figure.add_trace(
        go.Scatter(
            x=ends,
            y=ends,
            mode="lines",
            line={"color": look.palette.soft, "dash": "dot"},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    _points(figure, runs, runs.loss, runs.predicted)
    on_paper(figure, look=look, height=height, x="loss, measured", y="loss, predicted")
    ticks = _ticks(runs.loss, runs.predicted)
    figure.update_xaxes(type="log", tickvals=ticks, showgrid=False)
    figure.update_yaxes(type="log", tickvals=ticks)
    return figure


def _points(figure: go.Figure, runs: Runs, x: ndarray, y: ndarray) -> None:
    told = np.array([escape(each) for each in runs.told], dtype=object)
    for name, kept, colour, symbol in (
        ("fitted to", ~runs.held_out, FITTED, "circle"),
        ("held out", runs.held_out, HELD_OUT, "diamond"),
    ):
        if kept.any():
            figure.add_trace(
                go.Scatter(
                    x=x[kept],
                    y=y[kept],
                    name=name,
                    mode="markers",
                    marker={"size": 7, "color": colour, "symbol": symbol, "opacity": 0.7},
                    customdata=told[kept],
                    hovertemplate="%{customdata}<extra></extra>",
                )
            )


def _ticks(*losses: ndarray) -> list[float]:
    """Round losses to write on a logarithmic axis that spans less than a power of ten."""
    low, high = min(each.min() for each in losses), max(each.max() for each in losses)
    step = next(step for step in (0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10) if (high - low) / step <= 7 or step == 10)
    return [round(value, 4) for value in np.arange(np.ceil(low / step) * step, high + step / 2, step).tolist()]


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"
