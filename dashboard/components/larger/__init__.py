"""Styles for Streamlit's own controls: one height in a row, and larger on a projector, as our own figures are."""

from pathlib import Path

import streamlit as st

__all__ = ["larger"]


def larger() -> None:
    """Line up controls in a row; enlarge controls, tables and prose while the projector's bar is on the page.

    As pure styles they apply before anything is drawn: a table would keep the letter size of its first drawing.
    """
    st.html(Path(__file__).parent / "view.css")
