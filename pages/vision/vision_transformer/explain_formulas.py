"""How the explanations and the areas are computed, with the numbers of the page in them."""

import streamlit as st

from core.capture import Record
from core.vision.explain import RELEVANCE
from dashboard import layout
from dashboard.photograph import Photograph as Given
from pages.vision.vision_transformer import compute_explained as kept
from pages.vision.vision_transformer import explain_faithful
from pages.vision.vision_transformer import words_explain as said


def show(chosen: Given, explained: kept.ExplainedPicture, number: int | None) -> None:
    """What the model has: relevance or class activation; then the area of one curve."""
    if explained.model.attends:
        st.latex(
            r"\begin{gathered} \vphantom{\Big|} \bar A = \mathbb{E}_h\big((\nabla A \odot A)^{+}\big) \\ "
            r"R \leftarrow R + \bar A\, R, \quad R_0 = I \end{gathered}"
        )
        record = chosen.watched().record
        st.markdown(
            said.FORMULA_ATTENTION.format(
                layers=len(record.calls), heads=_heads(record), read=layout.plain(_read(explained))
            )
        )
    else:
        st.latex(
            r"\begin{gathered} L = \Big(\sum_k \alpha_k F^k\Big)^{+} \\ "
            r"\alpha_k = \frac{1}{Z} \sum_{i,j} \frac{\partial y}{\partial F^k_{ij}} \end{gathered}"
        )
        st.markdown(said.FORMULA_ACTIVATION)
    if explained.number is not None and explained.waiting <= explain_faithful.PATIENCE:
        _area(kept.measure_picture(chosen.name, chosen.picture, chosen.resolution, number))


def _heads(record: Record) -> str:
    counts = sorted({call.heads for call in record.calls})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _read(explained: kept.ExplainedPicture) -> str:
    return " and ".join("all patches" if one == "patches" else f"the {one} token" for one in explained.found.read)


def _area(measured: kept.MeasuredPicture) -> None:
    """The trapezoid rule with the first and the last numbers of a curve."""
    name = RELEVANCE if RELEVANCE in measured.curves else next(iter(measured.curves))
    curve = measured.curves[name]
    first, second, *_, last = curve.deletion.tolist()
    step = (curve.shares[1] - curve.shares[0]).item()
    st.markdown(said.FORMULA_AREA.format(name=said.TITLES[name].lower()))
    st.latex(
        rf"\begin{{gathered}} \vphantom{{\Big|}} \tfrac{{{step:.2f}}}{{2}}\big({first:.3f} + 2 \cdot {second:.3f} + "
        rf"\dots + {last:.3f}\big) \\ = {curve.deletion_area:.3f} \end{{gathered}}"
    )
