"""With what a visitor changes a model's view: patches to hide by clicking, heads and layers to silence."""

import numpy as np
import streamlit as st

from core.images import Patches
from core.zoo import ImageModel
from dashboard import layout
from dashboard.components.patch_picker import patch_picker
from dashboard.watched import Head
from pages.vision.vision_transformer import hidden_patches
from pages.vision.vision_transformer import words_change as said
from pages.vision.vision_transformer.changed import Changed

HEADS, LAYERS = "change_heads", "change_layers"  # keys, and names in the address


def silenced_heads(heads: tuple[int, ...]) -> tuple[Head, ...]:
    """The heads that the visitor has silenced, one by one or as whole layers."""
    if not heads:
        st.caption(said.NO_HEADS)
        return ()
    names = [f"{layer}.{head}" for layer, count in enumerate(heads) for head in range(count)]
    _drop_unknown(HEADS, names)
    _drop_unknown(LAYERS, [str(layer) for layer in range(len(heads))])
    one, whole = st.columns(2)
    with one:
        chosen = st.multiselect(
            "Silenced heads (layer.head)",
            names,
            key=HEADS,
            bind="query-params",
            placeholder="none",
            help=said.HEADS_HELP,
        )
    with whole:
        layers = st.multiselect(
            "Silenced layers", [str(layer) for layer in range(len(heads))], key=LAYERS, bind="query-params",
            placeholder="none",
        )  # fmt: skip
    found = {_head(name) for name in chosen}
    found |= {(int(layer), head) for layer in layers for head in range(heads[int(layer)])}
    return tuple(sorted(found))


def _drop_unknown(key: str, known: list[str]) -> None:
    """Another model may have fewer heads than the one for which some were chosen."""
    if chosen := st.session_state.get(key):
        kept = [name for name in chosen if name in known]
        if kept != list(chosen):
            st.session_state[key] = kept


def _head(name: str) -> Head:
    layer, _, head = name.partition(".")
    return int(layer), int(head)


def reset(disabled: bool) -> None:
    """A button that takes all changes back."""

    def clear() -> None:
        for key in (HEADS, LAYERS):
            if key in st.session_state:
                st.session_state[key] = []
        if hidden_patches.ADDRESS in st.query_params:
            del st.query_params[hidden_patches.ADDRESS]

    st.button("Take all back", icon=":material/undo:", on_click=clear, disabled=disabled)


def hide_by_clicking(changed: Changed) -> None:
    """The photograph under the model's grid; a click hides a patch or shows it again."""
    grid, hidden = changed.grid, changed.hidden

    def switch(row: int, column: int) -> None:
        hidden_patches.keep(hidden ^ {row * grid.columns + column}, grid)

    patch_picker(
        changed.before.given.shown,
        rows=grid.rows,
        columns=grid.columns,
        key="change-picture",
        chosen=[changed.place(patch) for patch in hidden],
        look="cover",
        cover=mean_colour(changed.model),
        mark="hidden",
        tell="patch in row {row}, column {column}",
        hint=said.HIDE,
        on_click=switch,
        alt=f"The photograph under a grid of {grid.rows} × {grid.columns} patches, {len(hidden)} of them hidden",
        name="vision-hidden",
        height=400,
    )
    if not layout.is_presented():
        st.caption(said.HIDDEN if changed.heads else said.SQUARES.format(**_sides(changed.model)))


def all_but(hidden: frozenset[int], grid: Patches) -> None:
    """A button that hides what is shown, and shows what is hidden."""
    every = frozenset(range(grid.rows * grid.columns))
    st.button(
        "Swap hidden and shown",
        icon=":material/swap_horiz:",
        on_click=lambda: hidden_patches.keep(every - hidden, grid),
        disabled=not hidden,
    )


def _sides(model: ImageModel) -> dict[str, int]:
    return {"high": model.patch[0], "wide": model.patch[1]}


def mean_colour(model: ImageModel) -> str:
    """What 0 after normalisation looks like."""
    return "#" + "".join(f"{round(255 * mean):02x}" for mean in model.framing.mean)


def greyed(picture: np.ndarray) -> np.ndarray:
    """The picture without its colours, and paler: what is laid over it keeps its own."""
    grey = picture @ np.array([0.299, 0.587, 0.114])
    return np.repeat((96 + 0.62 * grey).clip(0, 255).astype(np.uint8)[..., None], 3, axis=2)
