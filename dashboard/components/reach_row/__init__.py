"""A photograph many times over, once after each block of a model: it appears as far as it has come. A click chooses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import UInt8

from dashboard import layout, theme
from dashboard.components.bundle import bundle
from dashboard.components.reach_row.packing import patch_of, strip_of

__all__ = ["Strip", "Tile", "reach_row"]

_FOLDER = Path(__file__).parent
_MOUNT = st.components.v2.component(
    "attention_atlas_reach_row",
    js=bundle(_FOLDER),
    css="\n".join(file.read_text(encoding="utf-8") for file in (_FOLDER / "view.css", _FOLDER / "../takeaway/row.css")),
)


@dataclass(frozen=True, eq=False)
class Tile:
    """One small map over the photograph: shares (row, column) from 0 to 1, -1 where nothing can have come."""

    label: str
    shares: np.ndarray


@dataclass(frozen=True, eq=False)
class Strip:
    """The tiles of one model, and the patch that is chosen: row, column, on a grid of rows x columns."""

    title: str
    picture: UInt8[np.ndarray, "row column channel"]
    tiles: Sequence[Tile]
    chosen: tuple[int, int]
    grid: tuple[int, int]


def reach_row(
    strips: Sequence[Strip],
    *,
    key: str,
    name: str,
    alt: str,
    tell: str,
    never: str,
    faintest: float,
    on_choose: Callable[[float, float], None],
) -> None:
    """Show the strips one below the other.

    The colour scale is logarithmic, from `faintest` to 1. `tell` is the sentence for the patch under the pointer, with
    {title}, {label}, {row}, {column} and {value} in it; `never` the one where nothing can have come. `on_choose(down,
    across)` is called with a place of the picture, 0 to 1 each way, before the page runs again. `alt` says what is to
    be seen; `name` begins the names of files.
    """
    data: dict[str, Any] = {"strips": [strip_of(strip) for strip in strips], "tell": tell, "never": never, "alt": alt}
    data |= {"name": f"attention-atlas-{name}", "faintest": faintest, "present": layout.is_presented()}
    data["palettes"] = _PALETTES

    def choose() -> None:
        place = patch_of((st.session_state.get(key) or {}).get("clicked"))
        if place:
            on_choose(*place)

    _MOUNT(key=key, data=data, on_clicked_change=choose)


_PALETTES = theme.for_browser()
