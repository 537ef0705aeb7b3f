"""The arithmetic of one attention head, step by step, in the browser."""

from pathlib import Path

import streamlit as st

from dashboard import theme
from dashboard.components.bundle import bundle
from dashboard.components.step_view.scene import scene

__all__ = ["scene", "step_view"]

_FOLDER = Path(__file__).parent

_mount = st.components.v2.component(
    "attention_atlas_step_view",
    css="\n".join(file.read_text("utf-8") for file in (_FOLDER / "view.css", _FOLDER / "../takeaway/row.css")),
    js=bundle(_FOLDER),
)


def step_view(scene: dict, *, name: str, present: bool = False, key: str = "step-view") -> None:
    """Show a `scene`. The step and the chosen cell live in the browser and in the address (`step`, `cell`).

    `name` begins the names of downloaded files; `present` is the projector's view.
    """
    _mount(key=key, data={**scene, "name": name, "present": present, "palettes": _PALETTES})


_PALETTES = theme.for_browser()
