"""A model as a diagram that one can walk: the stream from top to bottom, the branches that leave it and are added."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import streamlit as st

from dashboard import layout, theme
from dashboard.components.bundle import bundle
from dashboard.components.diagram.scene import KINDS, Scene, scene

__all__ = ["KINDS", "Scene", "diagram", "scene"]

_FOLDER = Path(__file__).parent
_MOUNT = st.components.v2.component(
    "attention_atlas_diagram",
    js=bundle(_FOLDER),
    css=(_FOLDER / "view.css").read_text(encoding="utf-8"),
)


def diagram(scene: Scene, *, chosen: str, on_choose: Callable[[str], None], key: str) -> None:
    """Show a scene with one part `chosen`; `on_choose(part)` is called, before the page runs again, at a click.

    Boxes are buttons: they can be reached with Tab and the arrow keys, and chosen with Enter.
    """
    known = {box.key for box in scene.boxes} | {chip.key for chip in scene.chips}

    def choose() -> None:
        picked = (st.session_state.get(key) or {}).get("picked")
        if picked in known:
            on_choose(picked)

    data = asdict(scene) | {"chosen": chosen, "palettes": _PALETTES, "present": layout.is_presented()}
    _MOUNT(key=key, data=data, on_picked_change=choose)


_PALETTES = theme.for_browser()
