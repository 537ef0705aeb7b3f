"""BLEU and the alignment error rate, with the numbers of the page in them."""

import streamlit as st

from dashboard import layout
from pages.language.translation import compute_measured as kept
from pages.language.translation import words_measured as said
from pages.language.translation.models import TITLES
from pages.language.translation.words_measured import ALIGNED_TEXTS


def show() -> None:
    """Both, and what is in them."""
    st.latex(
        r"\begin{aligned}\mathrm{BLEU} = 100 &\cdot \min\!\left(1, e^{1 - r/c}\right)\\"
        r"&\cdot \exp\Big(\tfrac14 \textstyle\sum_{n=1}^{4} \log p_n\Big)\end{aligned}"
    )
    with layout.sentences():
        told = ", ".join(f"{TITLES[name]} {of['bleu']:.1f}" for name, of in kept.results().models.items())
        st.markdown(f"{said.BLEU_FORMULA} Here: {told}.")
    with layout.sentences():
        _error_rate(kept.alignment())


def _error_rate(found: kept.Alignment) -> None:
    text, title = next(iter(ALIGNED_TEXTS.items()))
    best = found.models["transformer"]
    agreement = best["agreement"][text]
    links, sure, found_sure, found_possible = agreement["counts"]
    st.latex(r"\mathrm{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}")
    st.latex(rf"= 1 - \frac{{{found_sure:,} + {found_possible:,}}}{{{links:,} + {sure:,}}} = {agreement['aer']:.3f}")
    st.markdown(said.AER_FORMULA.format(layer=best["layer"], head=best["head"], text=title))
