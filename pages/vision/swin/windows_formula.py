"""Windows and their mask as formulas, with the numbers of the block that is shown."""

import streamlit as st

from core.vision.windows import WindowLayer
from pages.vision.swin import words_windows as said


def show(layer: WindowLayer, window: int) -> None:
    """Attention within a window; how many windows there are; what the mask leaves of the chosen one."""
    (high, wide), (down, across) = layer.window, layer.across
    st.latex(r"\operatorname{softmax}\left(\tfrac{QK^{\top}}{\sqrt{d}} + B + M\right) V")
    st.latex(
        r"M_{ij} = \begin{cases} 0 & \text{same part} \\ -100 & \text{joined by the shift}"
        r" \end{cases}"
    )
    st.markdown("Here the grid is cut into")
    st.latex(
        rf"\begin{{aligned}} &\lceil {layer.rows} / {high} \rceil \cdot \lceil {layer.columns} / {wide} \rceil \\ "
        rf"&= {down} \cdot {across} = {down * across} \text{{ windows}} \end{{aligned}}"
    )
    if layer.shifted:
        pairs = layer.allowed[window]
        st.markdown(f"In window {window} the mask leaves")
        st.latex(rf"{int(pairs.sum()):,} \text{{ of }} {high * wide}^2 = {pairs.numel():,} \text{{ pairs}}")
    st.markdown(said.FORMULA)
