"""Formulas with the numbers of what is shown."""

import math

import streamlit as st

from core.capture import AttentionCall
from dashboard import contents


def attention(call: AttentionCall) -> None:
    """How the weights of the view come about, with this model's sizes."""
    scale = call.scale
    if call.query is None or scale is None:
        st.markdown("The weights are the model's own softmax, recorded while it ran.")
        return
    width = call.query.shape[-1]
    root = (
        rf"\frac{{q\,k^\top}}{{\sqrt{{{width}}}}}" if math.isclose(scale, width**-0.5) else rf"{scale:.3g}\;q\,k^\top"
    )
    mask = " + M" if call.causal else ""
    st.latex(rf"\mathrm{{softmax}}\left({root}{mask}\right)")
    st.markdown(
        f"For each token a query *q*, for each a key *k*, of {width} numbers each, taken from the model while it ran: "
        f"{call.query_length} × {call.key_length} products in every head, and each row made to sum to 1."
        + (" *M* hides what comes later." if call.causal else "")
    )
    contents.STEPS.link("Attention step by step")
