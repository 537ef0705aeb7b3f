"""Which word came from which, for several translations of one sentence at once: point at a word in any of them."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from dashboard import layout, theme
from dashboard.components.alignment_view.packing import cell_of, pack
from dashboard.components.alignment_view.scene import AlignmentScene, Link, Map, Panel
from dashboard.components.bundle import bundle

__all__ = ["AlignmentScene", "Link", "Map", "Panel", "alignment_view"]

_FOLDER = Path(__file__).parent
_MOUNT = st.components.v2.component(
    "attention_atlas_alignment_view",
    js=bundle(_FOLDER),
    css="\n".join(file.read_text(encoding="utf-8") for file in (_FOLDER / "view.css", _FOLDER / "../takeaway/row.css")),
)


def alignment_view(
    scene: AlignmentScene,
    *,
    key: str,
    name: str,
    address: bool = True,
    links: frozenset[Link] | None = None,
    cut: frozenset[Link] = frozenset(),
    on_cell: Callable[[str, int, int], None] | None = None,
) -> None:
    """Show all panels of a scene, linked: a word under the pointer lights up what belongs to it in every panel.

    Pointing never asks the server. `links`, (source, target), are outlined: those that a person finds right; `cut`
    links, (target, source), are struck through. `on_cell(panel, target, source)` is called, before the page runs
    again, when a cell is clicked or chosen with Enter; without it a click pins the word. `address` keeps the chosen
    map of each panel in the address bar (`map-<panel>=<map>`); `name` begins the names of files.
    """
    data = pack(scene, links=links, cut=cut)
    data |= {"name": f"attention-atlas-{name}", "address": address, "canClick": on_cell is not None}
    data |= {"palettes": _PALETTES, "present": layout.is_presented()}

    def choose() -> None:
        cell = cell_of((st.session_state.get(key) or {}).get("cell"), scene)
        if cell and on_cell:
            on_cell(*cell)

    _MOUNT(key=key, data=data, on_cell_change=choose)


_PALETTES = theme.for_browser()
