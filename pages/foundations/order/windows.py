"""Swin's relative biases: in a window, each difference of rows and columns has a number for each head."""

import numpy as np
import streamlit as st

from core.order.learned_positions import find_window_biases
from core.order.positions import window_index
from dashboard import controls, layout
from dashboard.components.cell_map import cell_map
from dashboard.models import image_model
from dashboard.numbers import signed, whole
from pages.foundations.order import inputs
from pages.foundations.order.instead import instead
from pages.foundations.order.words import WINDOWS

LARGEST = 8  # patches on a side


def show() -> None:
    """The whole part of the page."""
    inputs.lead(WINDOWS)
    with layout.control_bar():
        side = inputs.slide("Patches on a side of the window", 2, LARGEST, 4, key="side")
        chosen = inputs.slide("Patch that looks", 0, side * side - 1, side + 1, key="looker")
    index = window_index(side, side).numpy()
    all_pairs, one = st.columns([1.3, 1], gap="large")
    with all_pairs:
        st.markdown("**Which bias each pair of patches gets.** Click a row to see it as a window.")
        cell_map(
            index.astype(np.float32),
            key="window-map",
            x="patch that is looked at",
            y="patch that looks",
            tell="patch {row} looks at patch {column}: bias number {value}",
            limits=(0, float(index.max())),
            on_click=_choose,
            alt="The number of the bias for each pair of patches of a window.",
            name="order-window",
        )
    with one:
        row, column = divmod(chosen, side)
        st.markdown(f"**Seen from patch {chosen}**, in row {row}, column {column}.")
        cell_map(
            index[chosen].reshape(side, side).astype(np.float32),
            key="window-one",
            x="column",
            y="row",
            tell="row {row}, column {column}: bias number {value}",
            limits=(0, float(index.max())),
            marked=[(row, column)],
            mark="the patch that looks",
            alt=f"The number of the bias for each patch of the window, seen from patch {chosen}.",
            name="order-window-one",
        )
    st.subheader("What the biases have learned", anchor=False)
    said = (_about_sharing(side), *_named())
    layout.notes(WINDOWS, notice=said, formula=lambda: _formula(side))


def _choose(patch: int, _column: int) -> None:
    st.session_state.looker = patch


def _about_sharing(side: int) -> str:
    pairs, biases = side**4, (2 * side - 1) ** 2
    centre = int(window_index(side, side)[0, 0])
    return (
        f"A window of {side} × {side} patches has {pairs:,} pairs but only **{biases}** biases for each head: pairs "
        f"that differ by the same rows and columns share one. Every patch has number {centre} for itself."
    )


def _named() -> tuple[str, ...]:
    """The biases of a model by name, as a map over the differences of rows and columns."""
    with layout.control_bar():
        name = controls.model("image")
        with layout.waiting_place():
            network = image_model(name).network
        found = find_window_biases(network)
        if not found:
            st.info(
                f"{layout.plain(name)} has no biases for windows: {instead(network)}. Name a Swin, for instance "
                "`swin_tiny_patch4_window7_224`.",
                icon=":material/info:",
            )
            return ()
        table = found[inputs.number("Layer", len(found), key="layer")]
        head = inputs.number("Head", table.bias.shape[1], key="head")
    high, wide = 2 * table.rows - 1, 2 * table.columns - 1
    values = table.bias[:, head].reshape(high, wide).numpy()
    cell_map(
        values,
        key="window-biases",
        x="columns from the key to the query",
        y="rows from the key to the query",
        tell="{row} rows and {column} columns: {value} is added",
        rows=[whole(place - table.rows + 1) for place in range(high)],
        columns=[whole(place - table.columns + 1) for place in range(wide)],
        alt="The learned bias for each difference of rows and columns.",
        name="order-window-biases",
    )
    best = np.unravel_index(values.argmax(), values.shape)
    down, across = int(best[0]) - table.rows + 1, int(best[1]) - table.columns + 1
    return (
        f"Head {head} of this layer adds most (**{signed(float(values.max()))}**) for a patch "
        f"{abs(down)} rows {'above' if down > 0 else 'below'} and {abs(across)} columns to the "
        f"{'left' if across > 0 else 'right'}, least ({signed(float(values.min()))}) elsewhere.",
    )


def _formula(side: int) -> None:
    st.latex(r"\operatorname{softmax}\left(\tfrac{QK^{\top}}{\sqrt{d}} + B\right) V")
    st.latex(r"B_{ij} = \hat{B}_{r_i - r_j,\; c_i - c_j}")
    st.latex(rf"\hat{{B}} \in \mathbb{{R}}^{{{2 * side - 1} \times {2 * side - 1}}} \text{{ for each head}}")
    st.caption(
        f"Rows and columns differ by {1 - side} to {side - 1}. The number in a cell is "
        f"(row difference + {side - 1}) × {2 * side - 1} + column difference + {side - 1}.".replace("-", "−")
    )
