"""What grows with the text: work of each part and memory, against the number of tokens."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.sizes import Shape, crossing, flops, memory
from dashboard import charts, layout
from dashboard.figures.curves import curves
from dashboard.theme import HUES

_PLACES = np.unique(np.round(np.geomspace(16, 2**17, 40)).astype(int)).tolist()
_SCORES, _MLP = "Scores and weighted sum", "MLP"
_HUES = {
    _SCORES: HUES[1],
    _MLP: HUES[0],
    "W_Q, W_K, W_V": HUES[2],
    "W_O": HUES[3],
    "Head": HUES[5],
    "Cross-attention": HUES[4],
}


def show(shape: Shape, n: int, precision: str) -> None:
    """The curves with the crossing, and the table of memory for `n` tokens."""
    st.subheader("Where the square overtakes", anchor=False)
    table = pd.DataFrame([{each.part: each.value for each in flops(shape, at, at)} for at in _PLACES]).fillna(0)
    lines = {part: table[part].to_numpy(float) for part in table if part in _HUES}
    size = layout.look().letters
    figure = curves(
        _PLACES,
        lines,
        look=layout.look(),
        x="tokens",
        y="FLOPs of one pass",
        tell="%{fullData.name}, %{x:,} tokens: %{y:.3s} FLOPs",
        hues=_HUES,
        x_log=True,
        y_log=True,
    )
    figure.update_xaxes(dtick=1, tickformat=",")
    figure.add_vline(x=n, line={"color": layout.look().palette.accent, "dash": "dot", "width": 1.5})
    _mark(figure, shape, size)
    charts.chart(
        figure,
        name="work",
        alt=f"The work of each part against the tokens: scores overtake the MLP at {crossing(shape):,.0f} tokens",
        table=pd.DataFrame({"tokens": _PLACES, **lines}),
    )
    st.subheader(f"Memory for {n:,} tokens in {precision}", anchor=False)
    bytes_of(shape, n, precision)


def bytes_of(shape: Shape, n: int, precision: str) -> None:
    """The table of memory, in megabytes."""
    rows = ["| what | formula | MB |", "|:--|:--|--:|"]
    rows += [f"| {each.part} | ${each.filled}$ | {each.value / 1e6:,.2f} |" for each in memory(shape, n, precision)]
    st.markdown("\n".join(rows))


def _mark(figure: go.Figure, shape: Shape, size: int) -> None:
    meeting, palette = crossing(shape), layout.look().palette
    at = max(1, round(meeting))
    worked = {each.part: each.value for each in flops(shape, at, at)}
    figure.add_trace(
        go.Scatter(
            x=[at],
            y=[worked[_MLP]],
            mode="markers+text",
            text=[f"{meeting:,.0f} tokens"],
            textposition="top left",
            textfont={"color": palette.ink, "size": size},
            marker={"size": 11, "color": palette.paper, "line": {"color": palette.ink, "width": 2}},
            hovertemplate=f"{meeting:,.0f} tokens: scores cost as much as the MLP<extra></extra>",
            showlegend=False,
        )
    )
