"""The neurons of an MLP: which of them fire at a token, and at which other tokens they fire too."""

import pandas as pd
import streamlit as st
from torch import Tensor

from core.anatomy import Arrays, Part
from dashboard import charts, layout
from dashboard.figures.heat import heat
from pages.foundations.inside_the_transformer import choices, maps
from pages.foundations.inside_the_transformer.compute import Walk

TOP = 12


def show(walk: Walk, part: Part, arrays: Arrays) -> None:
    """The neurons that fire most at the chosen token, and what they do at all others."""
    if arrays.hidden is None:
        return
    hidden = arrays.hidden
    labels = maps.labels_of(walk, part, len(hidden))
    chosen = choices.token(labels)
    top = hidden[chosen].topk(min(TOP, hidden.shape[-1])).indices
    share = (hidden[chosen] > 0).float().mean().item()
    if not layout.is_presented():
        st.caption(
            f"Of {hidden.shape[-1]:,} neurons, {share:.0%} are above 0 at this token. Below: the {len(top)} strongest, "
            "after the nonlinearity, at this token and at all others."
        )
    _map(hidden[:, top].T, top.tolist(), labels, chosen)


def _map(values: Tensor, neurons: list[int], labels: list[str], chosen: int) -> None:
    rows = [f"neuron {neuron}" for neuron in neurons]
    few = len(labels) <= 60
    figure = heat(
        values.numpy(),
        look=layout.look().sized(-2),
        x="token",
        y="",
        rows=rows,
        columns=labels if few else None,
        tell="%{y} at “%{x}”: %{z:.2f}",
        height=120 + 22 * len(rows),
    )
    figure.add_vline(x=chosen, line={"color": layout.look().palette.accent, "width": 1.5, "dash": "dot"})
    st.markdown("**The strongest neurons**")
    table = pd.DataFrame(values.numpy(), index=rows, columns=labels).rename_axis("neuron").reset_index()
    charts.chart(figure, name="inside-neurons", alt="The strongest neurons at each token", table=table)
