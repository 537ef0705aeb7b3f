"""Styles for Streamlit's own controls: one height in a row, and larger on a projector, as our own figures are."""

from pathlib import Path

import streamlit as st

__all__ = ["larger"]

FOLDER = Path(__file__).parent


def larger(*, presenting: bool) -> None:
    """Line up controls in a row; enlarge controls, tables and prose while the projector's bar is on the page.

    As pure styles they apply before anything is drawn: a table would keep the letter size of its first drawing. Those
    of the projector are on a page only if it is presented: while they are there, Chromium computes the styles of the
    whole page again for each element that comes or goes.
    """
    st.html(FOLDER / "view.css")
    if presenting:
        st.html(FOLDER / "projector.css")
