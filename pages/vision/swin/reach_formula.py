"""How the reach and the cost are computed, with the page's own numbers."""

import streamlit as st

from pages.vision.swin import words_reach as said
from pages.vision.swin.cost_part import Costs


def show(costs: Costs) -> None:
    """Rollout through windows, and equations 1 and 2."""
    st.latex(
        r"\begin{gathered} r_b = e_{\text{place}}\, B_b\, B_{b-1} \cdots B_1 \\ "
        r"B = \begin{cases} \tfrac12 A + \tfrac12 I & \text{block} \\ \tfrac14 \text{ for each of } 2 \times 2 & "
        r"\text{merging} \end{cases} \end{gathered}"
    )
    st.markdown(said.FORMULA)
    st.markdown(
        "The cost of one attention block, in multiply-adds (Liu et al. 2021, equations 1 and 2), with *h* = *w*:"
    )
    sizes, side = costs.sizes, costs.grid
    windows, whole = costs.counted(costs.pixels)
    high, wide = sizes.window
    square = rf"{high}^2" if high == wide else rf"({high} \cdot {wide})"
    first = rf"4 \cdot {side}^2 \cdot {sizes.width}^2"
    st.latex(
        r"\begin{aligned} \Omega(\text{MSA}) &= 4hwC^2 + 2(hw)^2C \\ &= "
        rf"{first} \\ &\quad + 2 \cdot {side}^4 \cdot {sizes.width} \\ &= {_thousands(whole)} \\ "
        r"\Omega(\text{W-MSA}) &= 4hwC^2 + 2M^2hwC \\ &= "
        rf"{first} \\ &\quad + 2 \cdot {square} \cdot {side}^2 \cdot {sizes.width} \\ &= {_thousands(windows)}"
        r"\end{aligned}"
    )


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", r"\,")
