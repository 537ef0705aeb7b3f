"""Bars of what an answer costs with and without heads."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.long_context.needles import Ablation, Probe, Retrieval
from dashboard.figures.paper import on_paper
from dashboard.number_format import signed
from dashboard.theme import Look
from pages.explore.long_text.needles_sentences import mean_and_error


def ablation_table(probe: Probe, ablation: Ablation) -> pd.DataFrame:
    """The answer's bits and the bits of a token of the text: of all heads, without the best, without others."""
    count, retrieval = len(ablation.best), probe.retrievals[0]
    random_bits, random_text = mean_and_error(ablation.random_bits), mean_and_error(ablation.random_text_bits)
    names = ["all heads", f"without the best {count}", f"without {count} others", "all heads, no needle"]
    return pd.DataFrame(
        {
            "heads": names,
            "answer, bits": [
                float(retrieval.bits.sum()), ablation.bits, random_bits[0], float(probe.bits_without.sum()),
            ],
            "standard error": [np.nan, np.nan, random_bits[1], np.nan],
            "text, bits a token": [retrieval.text_bits, ablation.text_bits, random_text[0], np.nan],
        }
    )  # fmt: skip


def ablation_bars(
    names: Sequence[str], bits: np.ndarray, errors: np.ndarray, draws: np.ndarray, *, look: Look
) -> go.Figure:
    """A bar for each run, with two standard errors where it is a mean; `draws` are the runs of the third bar."""
    rows = list(range(len(names)))
    hues = [look.palette.soft, look.palette.map, look.palette.accent, look.palette.soft]
    bars = go.Bar(
        x=bits,
        y=rows,
        orientation="h",
        marker={"color": hues[: len(rows)], "line": {"width": 0}},
        error_x={
            "array": [None if np.isnan(error) else 2 * error for error in errors],
            "color": look.palette.ink,
            "thickness": 1.5,
            "width": 5,
        },
        text=[signed(value) for value in bits],
        textposition="inside",
        insidetextanchor="start",
        customdata=list(names),
        hovertemplate="%{customdata}: %{x:.1f} bits<extra></extra>",
    )
    points = go.Scatter(
        x=draws,
        y=[2] * len(draws),
        mode="markers",
        marker={"color": look.palette.ink, "size": 5, "symbol": "circle-open"},
        hovertemplate="one draw: %{x:.1f} bits<extra></extra>",
    )
    yaxis = {"tickvals": rows, "ticktext": list(names), "autorange": "reversed", "showgrid": False, "ticksuffix": " "}
    height = round(60 + 2.4 * look.letters * len(rows))
    return on_paper(
        go.Figure([bars, points]), look=look, height=height, x="cost of the answer, bits", yaxis=yaxis, showlegend=False
    )


def heads_table(retrieval: Retrieval) -> pd.DataFrame:
    """A row for each head, the best first."""
    scores = retrieval.heads
    return pd.DataFrame(
        [
            {
                "layer": layer,
                "head": head,
                "retrieval score": float(scores.scores[layer, head]),
                "weight on the token to copy": float(scores.copies[layer, head]),
                "attention to the needle": float(scores.shares[layer, head]),
                "to other text there": float(retrieval.elsewhere[layer, head]),
            }
            for layer, head in retrieval.ranked
        ]
    )
