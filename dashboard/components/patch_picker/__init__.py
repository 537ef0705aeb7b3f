"""A photograph with a grid of patches: hover in the browser, a click tells the server, chosen ones are marked."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Literal

import numpy as np
import streamlit as st

from dashboard import layout, theme
from dashboard.components.bundle import bundle
from dashboard.components.cell_map.packing import cell_of
from dashboard.components.patch_picker.packing import pack

__all__ = ["patch_picker"]

_FOLDER = Path(__file__).parent
_STYLES = ("../cell_map/view.css", "view.css", "../takeaway/row.css")
_MOUNT = st.components.v2.component(
    "attention_atlas_patch_picker",
    js=bundle(_FOLDER),
    css="\n".join((_FOLDER / style).read_text(encoding="utf-8") for style in _STYLES),
)


def patch_picker(
    picture: np.ndarray,
    *,
    rows: int,
    columns: int,
    key: str,
    chosen: Collection[tuple[int, int]] = (),
    look: Literal["outline", "cover"] = "outline",
    cover: str = "#7f7f7f",
    mark: str = "chosen",
    tell: str = "row {row}, column {column}",
    hint: str = "Point at a patch, click to choose it.",
    values: np.ndarray | None = None,
    limits: tuple[float, float] | None = None,
    on_click: Callable[[int, int], None] | None = None,
    alt: str,
    name: str,
    height: int = 420,
) -> None:
    """Show `picture` (row, column, 3) uint8 under a grid of `rows` x `columns` patches; `chosen` ones are marked.

    `look`: chosen patches are outlined, or covered with the colour `cover`; a screen reader hears `mark` for them.
    `tell` is the sentence for the patch under the pointer, with {row}, {column} and {value} in it; `hint` stands there
    before. `values` (row, column) are laid over the picture as a veil: zero is the picture itself; `limits` as for
    runs again. Patches can also be reached with Tab and arrow keys, and clicked with Enter. `alt` says what is to be
    seen; `name` begins the names of files; `height` is the most that the picture may take, in pixels.
    """
    clicked = (st.session_state.get(key) or {}).get("clicked")
    have = clicked.get("have") if isinstance(clicked, dict) else None
    data = pack(picture, (rows, columns), values=values, limits=limits, chosen=chosen, have=have)
    data |= {"look": look, "cover": cover, "mark": mark, "tell": tell, "hint": hint, "alt": alt}
    data |= {"name": f"attention-atlas-{name}", "height": height, "present": layout.is_presented()}
    data |= {"canClick": on_click is not None, "palettes": _PALETTES["signed" if data["limits"][0] < 0 else "plain"]}

    def click() -> None:
        cell = cell_of((st.session_state.get(key) or {}).get("clicked"), (rows, columns))
        if cell and on_click:
            on_click(*cell)

    # A click is a state and not a trigger: it holds what the browser has, for as long as the picture is there.
    _MOUNT(key=key, data=data, on_clicked_change=click)


_PALETTES = {"plain": theme.for_browser(), "signed": theme.for_browser(signed=True)}
