"""Measured: what the four models are worth and what they cost, and how faithful their explanations are."""

from contextlib import suppress

import streamlit as st

from core.errors import ModelError
from dashboard import layout
from pages.vision.vision_transformer import compute_measured as kept
from pages.vision.vision_transformer import measured_faithful, measured_quality
from pages.vision.vision_transformer import words_measured as said


def show() -> None:
    """Tables and figures; a part that nobody has measured yet says so in a sentence."""
    noticed: list[str] = []
    for part in (measured_quality.show, measured_faithful.show):
        with layout.sentences():
            noticed += part()
    layout.notes(said.NOTES, notice=tuple(noticed), formula=_formula)


def _formula() -> None:
    with suppress(ModelError):  # the table has said it already
        if qualities := kept.qualities():
            _error(max(qualities, key=lambda one: one.top1))
    st.latex(
        r"\begin{aligned} \text{area} &= \int_0^1 p(s)\, ds \\ "
        r"&\approx \sum_i \frac{p_i + p_{i+1}}{2}\,(s_{i+1} - s_i) \end{aligned}"
    )
    st.markdown(said.AREA_FORMULA)


def _error(best: kept.Quality) -> None:
    st.markdown(said.ERROR_FORMULA.format(model=said.MODELS[best.name]))
    pictures = f"{best.pictures:,}".replace(",", "{,}")  # a comma alone would be followed by a space
    st.latex(
        rf"\begin{{aligned}} \sqrt{{\frac{{p\,(1-p)}}{{n}}}} &= \sqrt{{\frac{{{best.top1:.3f} \cdot "
        rf"{1 - best.top1:.3f}}}{{{pictures}}}}} \\ &= {best.standard_error:.4f} \end{{aligned}}"
    )
