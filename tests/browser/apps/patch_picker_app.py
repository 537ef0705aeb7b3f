"""Pictures with known patches, for the tests of the patch picker; below them, what was clicked, and how many runs."""

import numpy as np
import streamlit as st

from dashboard.components.patch_picker import patch_picker

ROWS, COLUMNS = 3, 4
# Every patch has one colour of its own.
PATCHES = np.random.default_rng(0).integers(0, 256, (ROWS, COLUMNS, 3), dtype=np.uint8)
PICTURE = PATCHES.repeat(100, axis=0).repeat(100, axis=1)
VALUES = np.random.default_rng(1).normal(size=(ROWS, COLUMNS)).astype(np.float32)
NAME = "<img src=x onerror=window.hacked=1>"


def app() -> None:
    st.set_page_config(layout="wide")
    state = st.session_state
    state.runs = state.get("runs", 0) + 1
    hidden = state.setdefault("hidden", [])

    def on_click(row: int, column: int) -> None:
        hidden.append((row, column))

    patch_picker(
        PICTURE,
        rows=ROWS,
        columns=COLUMNS,
        key="hide",
        chosen=set(hidden),
        look="cover",
        cover="#123456",
        mark="hidden",
        tell="patch {row}, {column} of " + NAME,
        on_click=on_click,
        alt="A picture of twelve colours",
        name="hide",
        height=300,
    )
    patch_picker(
        PICTURE,
        rows=ROWS,
        columns=COLUMNS,
        key="values",
        values=VALUES,
        tell="row {row}, column {column}: {value} points",
        alt="What each patch is worth",
        name="values",
        height=300,
    )
    st.text(f"clicked {hidden} in {state.runs} runs")


if __name__ == "__main__":
    app()
