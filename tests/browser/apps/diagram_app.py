"""A tiny encoder-decoder as a diagram; below it, in words, which part is chosen."""

import streamlit as st
import torch

from core.interpretability import walk
from core.models.transformer import Transformer, TransformerConfig
from dashboard.components.diagram import diagram, scene

st.set_page_config(layout="wide")
model = Transformer(TransformerConfig(64, 64, 32, 3, 4, 48, norm="pre")).eval()
ids = torch.arange(7)[None]
walked = walk(model, lambda network: network(ids, ids))


def choose(key: str) -> None:
    st.session_state.part = key


chosen = st.session_state.get("part", "encoder.blocks.0.mlp")
diagram(
    scene(walked, chosen, inputs=("<b>seven</b> tokens", "7 tokens"), output="64 scores"),
    chosen=chosen,
    on_choose=choose,
    key="diagram",
)
st.write(f"Chosen: `{chosen}`")
