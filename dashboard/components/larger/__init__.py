"""How Streamlit's own controls stand: of one height in a row, and larger on a projector, as our own figures are."""

from pathlib import Path

import streamlit as st

__all__ = ["larger"]


def larger() -> None:
    """Line up controls in a row; enlarge controls, tables and prose while the projector's bar is on the page.

    As styles alone it is there at once and takes no place: a table would keep the letters that it is first drawn with.
    """
    st.html(Path(__file__).parent / "view.css")
