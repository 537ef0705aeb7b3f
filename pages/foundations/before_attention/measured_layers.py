"""What one layer of each kind costs on this machine: asked for by a button, shared by all visitors."""

import streamlit as st
import torch

from core.costs.layer_costs import HEADS, KERNEL, WIDTH
from core.costs.one_pass import Cost
from dashboard import layout, measuring
from dashboard.theme import HUES
from pages.foundations.before_attention import compute as kept
from pages.foundations.before_attention import words as said

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
    measuring.offer(kept.measure_layers, again=costs is not None)
    if costs:
        measuring.time_and_memory(costs, hues=LAYER_HUES, name="measured", what="layers")
    return costs
