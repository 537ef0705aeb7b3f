"""A photograph with the attention of any layer, head and patch over it, answered in the browser."""

from pathlib import Path

import streamlit as st

from dashboard import layout, theme
from dashboard.components.bundle import bundle
from dashboard.components.photo_maps.packing import Wanted, pack
from dashboard.components.photo_maps.scene import Answers, Dense, Factors, PhotoLayer, PhotoScene, Windows

__all__ = ["Answers", "Dense", "Factors", "PhotoLayer", "PhotoScene", "Windows", "photo_maps"]

_FOLDER = Path(__file__).parent
_MOUNT = st.components.v2.component(
    "attention_atlas_photo_maps",
    js=bundle(_FOLDER),
    css="\n".join(file.read_text(encoding="utf-8") for file in (_FOLDER / "view.css", _FOLDER / "../takeaway/row.css")),
)


def photo_maps(scene: PhotoScene, *, key: str, name: str, address: bool = True) -> None:
    """Show a scene; layer, head, query, threshold and photograph are chosen, and answered, in the browser.

    The server is asked once for the answers of a layer (of a head, where a layer is large), and only where they do
    not all fit the first message. `address` keeps what is chosen in the address bar (`map-layer`, `map-head`,
    `map-from`, `map-place`, `map-keep`, `map-photo`); one view of a page may. `name` begins the names of files.
    """
    chosen = (st.session_state.get(key) or {}).get("chosen")
    if not isinstance(chosen, dict):
        chosen = _addressed() if address else {}
    data = pack(scene, Wanted(_number(chosen.get("layer")), _number(chosen.get("head")), str(chosen.get("have") or "")))
    data |= {"name": f"attention-atlas-{name}", "address": address}
    data |= {"palettes": _PALETTES, "present": layout.is_presented()}
    _MOUNT(key=key, data=data, on_chosen_change=_nothing)


_PALETTES = theme.for_browser()


def _addressed() -> dict:
    return {name: st.query_params.get(f"map-{name}") for name in ("layer", "head")}


def _number(text: object) -> int | None:
    """A whole number from 0 up, or None for whatever else an address or a browser may hold."""
    text = str(text)
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def _nothing() -> None:
    """Streamlit keeps only those values that have a callback."""
