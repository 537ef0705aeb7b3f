"""Scenes with known maps over a photograph, for the tests of photo_maps; how often this script ran stands below."""

import numpy as np
import streamlit as st

from dashboard.components.photo_maps import Dense, Factors, PhotoLayer, PhotoScene, Windows, photo_maps

ROWS, COLUMNS = 4, 6
PICTURE = np.linspace(0, 255, 80 * 120 * 3).reshape(80, 120, 3).astype(np.uint8)


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def dense_weights(layer: int, head: int, tokens: int = 1 + ROWS * COLUMNS) -> np.ndarray:
    return softmax(np.random.default_rng([layer, head]).normal(size=(tokens, tokens)) * 1.5)


def dense(layer: int) -> PhotoLayer:
    return PhotoLayer(
        str(layer), 3, ROWS, COLUMNS, Dense(lambda head: dense_weights(layer, head)), ("class",), f"blocks.{layer}"
    )


def many_factors(layer: int, rows: int, columns: int, head_dim: int, heads: int = 4) -> Factors:
    random = np.random.default_rng([layer, rows])
    query, key = (random.normal(size=(heads, 1 + rows * columns, head_dim)).astype(np.float32) for _ in range(2))
    return Factors(query * 2, key + 3, head_dim**-0.5)


LARGE = (40, 40)  # 1,601 tokens: one layer fits a message, three do not


def large(layer: int) -> PhotoLayer:
    return PhotoLayer(str(layer), 4, *LARGE, many_factors(layer, *LARGE, 64), ("class",), f"blocks.{layer}")


# Windows of 2 x 2 on a grid of 3 x 4, shifted by one and padded at the bottom: what timm's Swin would do.
WINDOW_ROWS, WINDOW_COLUMNS = 3, 4


def shifted_places() -> np.ndarray:
    grid = np.roll(np.arange(WINDOW_ROWS * WINDOW_COLUMNS).reshape(WINDOW_ROWS, WINDOW_COLUMNS), (-1, -1), (0, 1))
    padded = np.pad(grid, ((0, 1), (0, 0)), constant_values=-1)
    return padded.reshape(2, 2, 2, 2).transpose(0, 2, 1, 3).reshape(4, 4)


PLACES = shifted_places()


def window_weights(head: int) -> np.ndarray:
    return softmax(np.random.default_rng([9, head]).normal(size=(4, 4, 4)) * 1.5)


def windowed() -> PhotoLayer:
    return PhotoLayer(
        "1", 2, WINDOW_ROWS, WINDOW_COLUMNS, Windows(window_weights, PLACES), path="layers.0.blocks.1", group="stage 0"
    )


@st.cache_resource
def scene(name: str) -> PhotoScene:
    if name == "large":
        return PhotoScene(PICTURE[:, :80], tuple(map(large, range(3))), title="Large")
    if name == "windows":
        return PhotoScene(PICTURE, (windowed(),), title="Windows")
    return PhotoScene(PICTURE, tuple(map(dense, range(3))), title="<b>Small</b>", start=(1, 2))


st.session_state.runs = st.session_state.get("runs", 0) + 1
name = st.selectbox("Scene", ["small", "large", "windows"], key="scene", bind="query-params")
if st.button("Write a parameter"):
    st.query_params["other"] = "1"
photo_maps(scene(name), key="maps", name="maps")
st.text(f"runs: {st.session_state.runs}")
