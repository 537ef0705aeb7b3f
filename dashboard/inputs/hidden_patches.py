"""The patches that a visitor hides: a short code in the address, checked against the grid."""

import re
from collections.abc import Collection

import streamlit as st

from core.images import Patches
from dashboard.address import parameter

ADDRESS = "hidden"
LONGEST = 4000  # letters of the address that are read: more than 40 × 40 patches ever need
_GRID = re.compile(r"(\d{1,3})x(\d{1,3})_([\d.-]*)", re.ASCII)
_RUN = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?", re.ASCII)


def encode(hidden: Collection[int], grid: Patches) -> str:
    """The code of patches in the address: "12x12_3-5.17" are 3, 4, 5 and 17 of 12 × 12, counted row by row."""
    runs: list[list[int]] = []
    for place in sorted(hidden):
        if runs and runs[-1][1] == place - 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    parts = (str(first) if first == last else f"{first}-{last}" for first, last in runs)
    return f"{grid.rows}x{grid.columns}_{'.'.join(parts)}"


def decode(text: str, grid: Patches) -> tuple[frozenset[int], str]:
    """The patches of a code, and a sentence ("" if all is well) if the code is invalid or belongs to another grid."""
    if not text:
        return frozenset(), ""
    match = _GRID.fullmatch(text[:LONGEST])
    if not match:
        return frozenset(), "The hidden patches in the address cannot be read: none is hidden."
    rows, columns = int(match[1]), int(match[2])
    if (rows, columns) != (grid.rows, grid.columns):
        return frozenset(), (
            f"The hidden patches belonged to a grid of {rows} × {columns}; this one has {grid.rows} × {grid.columns}: "
            "none is hidden."
        )
    hidden: set[int] = set()
    wrong = 0
    for part in filter(None, match[3].split(".")):
        run = _RUN.fullmatch(part)
        last = int(run[2] or run[1]) if run else -1
        if run is None or not int(run[1]) <= last < rows * columns:
            wrong += 1
        else:
            hidden.update(range(int(run[1]), last + 1))
    problem = (
        f"{wrong} of the hidden patches in the address lie outside of {rows} × {columns}: left out." if wrong else ""
    )
    return frozenset(hidden), problem


def from_address(grid: Patches) -> frozenset[int]:
    """The visitor's hidden patches; those that do not fit this grid are dropped, with a sentence."""
    hidden, problem = parameter(ADDRESS, lambda text: decode(text, grid))
    if problem:
        st.info(problem, icon=":material/link_off:")
        to_address(hidden, grid)
    return hidden


def to_address(hidden: Collection[int], grid: Patches) -> None:
    """Write the hidden patches into the address."""
    if hidden:
        st.query_params[ADDRESS] = encode(hidden, grid)
    elif ADDRESS in st.query_params:
        del st.query_params[ADDRESS]


def swap_button(hidden: frozenset[int], grid: Patches) -> None:
    """Draw a button that hides the visible patches and shows the hidden ones."""
    all_patches = frozenset(range(grid.rows * grid.columns))
    st.button(
        "Swap hidden and shown",
        icon=":material/swap_horiz:",
        on_click=lambda: to_address(all_patches - hidden, grid),
        disabled=not hidden,
    )
