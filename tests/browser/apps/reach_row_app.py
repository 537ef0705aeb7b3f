"""Two strips with known shares, for the tests of reach_row; what was clicked and how often this ran stand below."""

import numpy as np
import streamlit as st

from dashboard.components.reach_row import Strip, Tile, reach_row

ROWS, COLUMNS = 4, 6
PICTURE = np.linspace(0, 255, 80 * 120 * 3).reshape(80, 120, 3).astype(np.uint8)
TELL = "{title}, after {label}: {value} comes from row {row}, column {column}."
NEVER = "{title}, after {label}: nothing can come from row {row}, column {column}."


def shares(number: int) -> np.ndarray:
    """(row, column), the last row out of reach."""
    shares_of_patches = np.random.default_rng(number).dirichlet(np.ones(ROWS * COLUMNS)).reshape(ROWS, COLUMNS)
    shares_of_patches[-1] = -1
    return shares_of_patches


def strip(title: str, numbers: range) -> Strip:
    tiles = [Tile(f"block {number}", shares(number)) for number in numbers]
    return Strip(title, PICTURE, tiles, (1, 2), (ROWS, COLUMNS))


def clicked(down: float, across: float) -> None:
    st.session_state.clicked = f"{down:.4f}, {across:.4f}"


if __name__ == "__main__":
    st.session_state.runs = st.session_state.get("runs", 0) + 1
    reach_row(
        [strip("First", range(3)), strip("Second", range(3, 5))],
        key="reach",
        name="reach",
        alt="Two strips",
        tell=TELL,
        never=NEVER,
        faintest=1e-3,
        on_choose=clicked,
    )
    st.text(f"runs: {st.session_state.runs}")
    st.text(f"clicked: {st.session_state.get('clicked', 'nothing')}")
