"""Measured: what the four models are worth and what they cost, and how faithful their explanations are."""

import streamlit as st

from dashboard import layout
from dashboard.runs import vision_measured as kept
from dashboard.vision import measured_faithful, measured_quality
from dashboard.words.vision import measured as said


def show() -> None:
    """Tables and figures; a part that nobody has measured yet says so in a sentence."""
    noticed: list[str] = []
    for part in (measured_quality.show, measured_faithful.show):
        with layout.sentences():
            noticed += part()
    layout.notes(said.NOTES, notice=tuple(noticed), formula=_formula)


def _formula() -> None:
    with layout.sentences():
        if qualities := kept.qualities():
            _error(max(qualities, key=lambda one: one.top1))
    st.latex(r"\text{area} = \int_0^1 p(s)\, ds \approx \sum_i \frac{p_i + p_{i+1}}{2}\,(s_{i+1} - s_i)")
    st.markdown(said.AREA_FORMULA)


def _error(best: kept.Quality) -> None:
    st.markdown(said.ERROR_FORMULA.format(model=said.MODELS[best.name]))
    st.latex(
        rf"\sqrt{{\frac{{p\,(1-p)}}{{n}}}} = \sqrt{{\frac{{{best.top1:.3f} \cdot {1 - best.top1:.3f}}}"
        rf"{{{best.pictures:,}}}}} = {best.standard_error:.4f}".replace(",", "{,}")
    )
