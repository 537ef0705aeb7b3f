"""What one layer of each kind costs on this machine: asked for by a button, shared by all visitors."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.costs import Cost
from core.layer_costs import HEADS, KERNEL, TOKENS, WIDTH
from dashboard import charts, layout
from dashboard.figures.curves import curves
from dashboard.runs import before as kept
from dashboard.theme import HUES
from dashboard.words import before as said

LAYER_HUES = {
    "Self-attention, written out": HUES[1],
    "Self-attention, fused": HUES[3],
    "LSTM": HUES[0],
    "Convolution": HUES[2],
}


def show() -> tuple[Cost, ...] | None:
    """The button, and the two figures once somebody has pressed it; what was measured, if anything was."""
    st.subheader("Measured on this machine", anchor=False)
    costs = kept.layer_costs()
    explained = said.MEASURED.format(
        width=WIDTH,
        heads=HEADS,
        kernel=KERNEL,
        threads=torch.get_num_threads(),
        repeats=min(cost.repeats for cost in costs) if costs else "several",
    )
    if not layout.is_presented():
        st.markdown(explained, width=layout.PROSE)
    _ask(again=costs is not None)
    if costs:
        with st.container(horizontal=True):
            with st.container(width="stretch"):
                _figure("time", "milliseconds", costs, [1e3 * cost.seconds for cost in costs])
            with st.container(width="stretch"):
                _figure("memory", "megabytes", costs, [cost.bytes / 1e6 for cost in costs])
    return costs


def _ask(*, again: bool) -> None:
    if not st.button("Measure again" if again else "Measure on this machine", icon=":material/timer:"):
        return
    bar = st.progress(0.0, "Waiting for a free place …")
    # A click on it stops this run of the page at the next report of progress, and with it the measurement.
    st.button("Cancel")

    def report(done: int, total: int) -> None:
        bar.progress(done / total, f"{done} of {total} passes")

    kept.measure_layers(report)
    st.rerun()


def _figure(name: str, unit: str, costs: Sequence[Cost], values: list[float]) -> None:
    rows = pd.DataFrame({"layer": [cost.name for cost in costs], "n": [cost.tokens for cost in costs], name: values})
    table = rows.pivot(index="n", columns="layer", values=name)
    figure = curves(
        TOKENS,
        {layer: np.array(table[layer]) for layer in LAYER_HUES},
        palette=layout.palette(),
        x="n, tokens",
        y=f"{name} of one pass ({unit})",
        tell=f"%{{fullData.name}}, n = %{{x:,}}: %{{y:.3g}} {unit}",
        hues=LAYER_HUES,
        marks=True,
        x_log=True,
        y_log=True,
        size=charts.letters(),
    )
    figure.update_xaxes(tickvals=TOKENS, ticktext=[f"{n:,}" for n in TOKENS])
    charts.chart(
        figure,
        name=f"measured-{name}",
        alt=f"The {name} of one forward pass of each layer against the number of tokens, both scales logarithmic",
        table=rows.rename(columns={name: f"{name} ({unit})"}),
    )
