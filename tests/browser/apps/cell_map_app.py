"""Maps with known values, for the tests of the cell map; below them, what was clicked and how often this script ran."""

import numpy as np
import streamlit as st

from dashboard.components.cell_map import cell_map

LABELS = ["<img src=x onerror=window.hacked=1>", "{value}", "=1+1", 'a "b", c', "שלום"]
HEADS = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
ODD = np.random.default_rng(1).random((5, 5)).astype(np.float32)
ODD[0, 0], ODD[1, 1], ODD[2, 2] = np.nan, np.inf, -np.inf
LINKS = np.array([[1, 0, 0], [2, 1, 0], [0, 2, 1]])
NAMES, HUES = ["no link", "window <b>", "random"], ["#0072b2", "#d55e00"]
LARGE = np.random.default_rng(2).random((256, 512)).astype(np.float32)


def app() -> None:
    st.set_page_config(layout="wide")
    state = st.session_state
    state.runs = state.get("runs", 0) + 1
    clicked = state.setdefault("clicked", [])

    def on_click(row: int, column: int) -> None:
        clicked.append((row, column))

    cell_map(
        HEADS * (1 + state.get("times", 0)),
        key="heads",
        x="head",
        y="layer",
        tell="without layer {row}, head {column} the loss changes by {value} nats",
        marked=[cell for cell in clicked if cell[1] < 6],
        mark="silenced",
        on_click=on_click,
        alt="What each head costs",
        name="heads",
    )
    cell_map(
        ODD,
        key="odd",
        x="word",
        y="word",
        rows=LABELS,
        columns=LABELS,
        tell="{row} to {column}: {value}",
        limits=(0, 0.5),
        alt="Odd labels <b>and</b> numbers",
        name="odd",
    )
    cell_map(
        LARGE,
        key="large",
        x="channel",
        y="position",
        tell="position {row}, channel {column}: {value}",
        marked=[cell for cell in clicked if cell[1] >= 6],
        on_click=on_click,
        alt="Many numbers",
        name="large",
    )
    cell_map(
        LINKS,
        key="kinds",
        x="key",
        y="query",
        tell="query {row}, key {column}: {value}",
        kinds=NAMES,
        hues=HUES,
        alt="Which keys each query looks at",
        name="kinds",
    )
    st.button("Double", on_click=lambda: state.update(times=state.get("times", 0) + 1))
    st.text(f"clicked {clicked} in {state.runs} runs")


if __name__ == "__main__":
    app()
