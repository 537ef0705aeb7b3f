"""Scenes with known weights, for the tests of the attention view; how often this script ran stands below."""

from dataclasses import replace

import numpy as np
import streamlit as st

from core.view import Layer, PatchSequence, Scene, TextSequence
from dashboard.components.attention_view import attention_view

WORDS = (
    "the",
    " cat",
    " that",
    " the",
    " dogs",
    " <b>chased</b>",
    " sat",
    " down",
    " because",
    " it",
    " was",
    " tired",
)


def rows_that_sum_to_one(queries: int, keys: int, layer: int, head: int, *, causal: bool = False) -> np.ndarray:
    scores = np.random.default_rng([layer, head]).normal(size=(queries, keys)) * 2
    if causal:
        scores[~np.tri(queries, keys, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def text(labels: tuple[str, ...], layers: int, heads: int, *, causal: bool = False, special: tuple[bool, ...] = ()):
    def layer(number: int) -> Layer:
        def weights(head: int) -> np.ndarray:
            return rows_that_sum_to_one(len(labels), len(labels), number, head, causal=causal)

        return Layer(str(number), "text", "text", heads, weights, causal=causal)

    return Scene({"text": TextSequence(labels, special)}, tuple(map(layer, range(layers))))


def crossing() -> Scene:
    source, target = TextSequence(("le", "chat", "dort")), TextSequence(("the", "cat", "sleeps", "."))

    def weights(head: int) -> np.ndarray:
        return rows_that_sum_to_one(4, 3, 0, head)

    layer = Layer("0", "target", "source", 2, weights, kind="cross", group="cross")
    return Scene({"source": source, "target": target}, (layer,))


def picture() -> Scene:
    pixels = np.linspace(0, 255, 64 * 96 * 3).reshape(64, 96, 3).astype(np.uint8)
    patches = PatchSequence(4, 6, ("class",), pixels)

    def weights(head: int) -> np.ndarray:
        return rows_that_sum_to_one(25, 25, 0, head)

    return Scene({"picture": patches}, (Layer("0", "picture", "picture", 2, weights),))


@st.cache_resource
def scene(name: str) -> Scene:
    if name == "special":
        return text(("[CLS]", "one", "two", "[SEP]"), 1, 1, special=(True, False, False, True))
    if name == "long":
        return text(tuple(f" w{place}" for place in range(160)), 12, 12)
    if name == "hostile":
        markup = "<img src=x onerror='window.broken=1'><script>window.broken=1</script>"
        return text((markup, "\u202eleft", "\n", " ", "", "שלום", "\x07", "\ud800", "=1+1"), 1, 1)
    if name == "suggesting":
        return replace(text(WORDS, 4, 3, causal=True), start=(2, 1))
    return {"cross": crossing, "picture": picture}.get(name, lambda: text(WORDS, 4, 3, causal=True))()


st.session_state.runs = st.session_state.get("runs", 0) + 1
name = st.selectbox(
    "Scene", ["small", "special", "long", "hostile", "cross", "picture", "suggesting"], key="scene", bind="query-params"
)
if st.button("Write a parameter"):
    st.query_params["other"] = "1"
if st.checkbox("Shown", value=True):
    choice = attention_view(
        scene(name),
        key="view",
        on_silence=lambda layer, head: st.session_state.update(asked=(layer, head)),
        tell=st.query_params.get("tell") == "1",
    )
    st.text(f"{choice} silence={st.session_state.get('asked')}")
st.text(f"runs: {st.session_state.runs}")
