"""How Streamlit's own controls stand: of one height in a row, and larger on a projector, as our own figures are."""

from pathlib import Path

import streamlit as st

__all__ = ["larger"]

# Of its own file alone, and for the page instead of a shadow tree.
_mount = st.components.v2.component(
    "attention_atlas_larger",
    css=(Path(__file__).parent / "view.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def larger() -> None:
    """Line up controls in a row; enlarge controls, tables and prose while the projector's bar is on the page."""
    _mount(key="larger")
