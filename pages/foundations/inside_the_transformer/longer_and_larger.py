"""Beyond the running model: what grows with the text, the sizes of famous models, and those of one's own."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.costs import Shape, crossing, flops, memory, total
from core.costs.bill import OUT, QKV
from core.published import model_sizes
from dashboard import theme
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.inputs import gpt_size
from dashboard.number_format import amount, with_power
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.foundations.inside_the_transformer.prose import PAGE

SECTION = PAGE.section("Sizes")
_PLACES = np.unique(np.round(np.geomspace(16, 2**17, 40)).astype(int)).tolist()
_SCORES, _MLP = "Scores and weighted sum", "MLP"
_HUES = {
    _SCORES: HUES[1],
    _MLP: HUES[0],
    QKV: HUES[2],
    OUT: HUES[3],
    "Head": HUES[5],
    "Cross-attention": HUES[4],
}


def show_growth(shape: Shape, n: int, precision: str) -> None:
    """The curves with the crossing, and the table of memory for `n` tokens."""
    layout.heading("At which length attention scores overtake the MLP")
    table = pd.DataFrame([{line.part: line.value for line in flops(shape, at, at)} for at in _PLACES]).fillna(0)
    lines = {part: table[part].to_numpy(float) for part in table if part in _HUES}
    size = theme.look().letters
    figure = curves(
        _PLACES,
        lines,
        look=theme.look(),
        x="tokens",
        y="FLOPs of one pass",
        tell="%{fullData.name}, %{x:,} tokens: %{y:.3s} FLOPs",
        hues=_HUES,
        x_log=True,
        y_log=True,
    )
    figure.update_xaxes(dtick=1, tickformat=",")
    figure.add_vline(x=n, line={"color": theme.look().palette.accent, "dash": "dot", "width": 1.5})
    _mark(figure, shape, size)
    charts.chart(
        figure,
        name="work",
        alt=f"The FLOPs of each part by the number of tokens: scores overtake the MLP at {crossing(shape):,.0f} tokens",
        table=pd.DataFrame({"tokens": _PLACES, **lines}),
    )
    st.subheader(f"Memory for {n:,} tokens in {precision}", anchor=False)
    rows = ["| what | formula | MB |", "|:--|:--|--:|"]
    rows += [f"| {line.part} | ${line.filled}$ | {line.value / 1e6:,.2f} |" for line in memory(shape, n, precision)]
    st.markdown("\n".join(rows))


def _mark(figure: go.Figure, shape: Shape, size: int) -> None:
    meeting, palette = crossing(shape), theme.look().palette
    at = max(1, round(meeting))
    worked = {line.part: line.value for line in flops(shape, at, at)}
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


def show_famous() -> None:
    """The table, to be sorted by a click on a column."""
    layout.heading("The same formula for famous models")
    st.markdown(SECTION.text("Famous models"), width=theme.PROSE)
    table = famous()
    localized = st.column_config.NumberColumn(format="localized")
    data_table(
        table.assign(difference=100 * table["difference"]),
        hide_index=True,
        height="content",
        column_config={
            "formula": localized,
            "published": localized,
            "printed": localized,
            "difference": st.column_config.NumberColumn(format="%.2f%%"),  # most are less than a thousandth
            "year": st.column_config.NumberColumn(format="%d"),
        },
    )
    charts.download_table(table, "famous-sizes")


def famous() -> pd.DataFrame:
    """One row a model; `difference` is that of the formula from the published count, as a share of it."""
    return pd.DataFrame(
        {
            "model": model.model,
            "year": model.year,
            "formula": total(model.shape),
            "published": model.published,
            "difference": total(model.shape) / model.published - 1,
            "printed": model.printed,
            "layers": model.shape.layers + model.shape.decoder_layers,
            "width": model.shape.width,
            "heads": model.shape.heads,
            "note": model.note,
            "published in": model.published_source,
            "printed in": model.printed_source,
        }
        for model in model_sizes()
    )


def show_own(precision: str) -> None:
    """Five numbers, and what they make."""
    layout.heading("Build your own")
    layout.prose(SECTION.text("Own decoder"))
    shape, context = gpt_size.choose("own")
    bill = {line.part: line.value for line in memory(shape, context, precision)}
    work = sum(line.value for line in flops(shape, context)) / context
    with layout.control_bar():
        st.metric("Parameters", amount(total(shape)))
        st.metric(f"FLOPs a token, over {context:,}", with_power(work, digits=3))
        st.metric(f"Weights in {precision}", f"{amount(bill['Weights'])}B")
        st.metric(f"KV cache of {context:,} tokens", f"{amount(bill['Keys and values kept (KV cache)'])}B")
