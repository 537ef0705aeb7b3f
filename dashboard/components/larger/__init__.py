"""Letters for the last row: what Streamlit draws grows with the projector's view, as our own figures do."""

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
    """Enlarge controls, tables and prose while the projector's bar is on the page."""
    _mount(key="larger")
