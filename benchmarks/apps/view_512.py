"""A page with nothing but the view: 12 x 12 heads over 512 tokens, too many to send at once."""

import numpy as np
import streamlit as st

from dashboard.components.attention_view import Layer, Scene, TextSequence, attention_view

LAYERS, HEADS, TOKENS = 12, 12, 512


@st.cache_resource
def scene() -> Scene:
    """Random causal patterns, a few of them many times; what they look like does not change what they cost."""
    patterns = [pattern(number) for number in range(4)]
    labels = tuple(f" word{place}" for place in range(TOKENS))
    layers = tuple(
        Layer(str(number), "text", "text", HEADS, lambda head: patterns[head % 4], causal=True)
        for number in range(LAYERS)
    )
    return Scene({"text": TextSequence(labels)}, layers)


def pattern(number: int) -> np.ndarray:
    """Rows that sum to 1 over the tokens so far."""
    scores = np.random.default_rng(number).normal(size=(TOKENS, TOKENS)).astype(np.float32) * 2
    weights = np.tril(np.exp(scores))
    return weights / weights.sum(axis=1, keepdims=True)


if st.checkbox("Show the view"):
    attention_view(scene(), key="view")
