"""A matrix whose cells can be pointed at and clicked: hover in the browser, a click tells the server."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from dashboard import layout, theme
from dashboard.components.bundle import bundle
from dashboard.components.cell_map.packing import cell_of, pack

__all__ = ["cell_map"]

_FOLDER = Path(__file__).parent
_MOUNT = st.components.v2.component(
    "attention_atlas_cell_map",
    js=bundle(_FOLDER),
    css="\n".join(file.read_text(encoding="utf-8") for file in (_FOLDER / "view.css", _FOLDER / "../takeaway/row.css")),
)


def cell_map(
    values: np.ndarray,
    *,
    key: str,
    x: str,
    y: str,
    tell: str,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    limits: tuple[float, float] | None = None,
    kinds: Sequence[str] = (),
    hues: Sequence[str] = (),
    marked: Collection[tuple[int, int]] = (),
    mark: str = "chosen",
    on_click: Callable[[int, int], None] | None = None,
    alt: str,
    name: str,
    height: int = 460,
) -> None:
    """Show `values` (row, column), the first row on top; NaN cells are hatched and say that they have no value.

    `x` and `y` name the axes ("head", "layer"); `rows` and `columns` label them (by default their numbers).
    `tell` is the sentence for the cell under the pointer, with {row}, {column} and {value} in it, for instance
    "layer {row}, head {column}: {value} bits". `limits`: the values of both ends of the scale, signed if the lower one
    is below 0; without them 0 to the largest, or symmetric around 0. Where the values are whole numbers that stand for
    something, `kinds` says what 0, 1, 2 ... mean: the legend lists all but the first, {value} is its name, and each
    but the first has a colour of `hues`, or its own on the scale. `marked` cells are outlined, and a screen reader
    hears `mark` for them. `on_click(row, column)` is called before the page runs again. Cells can also be reached
    with Tab and arrow keys, and clicked with Enter. `alt` says what is to be seen; `name` begins the names of files.
    `height` is the most that the cells may take, in pixels.
    """
    clicked = (st.session_state.get(key) or {}).get("clicked")
    have = clicked.get("have") if isinstance(clicked, dict) else None
    data = pack(values, rows=rows, columns=columns, limits=limits, kinds=kinds, hues=hues, marked=marked, have=have)
    data |= {"x": x, "y": y, "tell": tell, "mark": mark, "canClick": on_click is not None, "alt": alt}
    data |= {"name": f"attention-atlas-{name}", "height": height, "present": layout.is_presented()}
    data["palettes"] = _PALETTES["signed" if data["limits"][0] < 0 else "plain"]

    def click() -> None:
        cell = cell_of((st.session_state.get(key) or {}).get("clicked"), values.shape)
        if cell and on_click:
            on_click(*cell)

    # A click is a state and not a trigger: it holds what the browser has, for as long as the map is there.
    _MOUNT(key=key, data=data, on_clicked_change=click)


_PALETTES = {"plain": theme.for_browser(), "signed": theme.for_browser(signed=True)}
