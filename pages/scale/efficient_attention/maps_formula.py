"""The errors and the work as formulas, with the numbers of the page."""

import streamlit as st

from core.efficient import BigBird, Clustered, Linformer, LowRank, Performer, SlidingWindow
from core.efficient.approximation_error import Comparison
from pages.scale.efficient_attention import words_maps as said
from pages.scale.efficient_attention.methods import Method


def show(found: Comparison, method: Method, each: int) -> None:
    """The method's own formula, the error of the output, and the work."""
    st.latex(_own(method))
    st.latex(
        r"\begin{aligned} \text{error} &= \frac{\lVert \hat A V - A V \rVert_F}{\lVert A V \rVert_F} = "
        rf"{found.output_error:.3g} \\ \text{{work}} &= \frac{{{_number(found.multiplications)}}}"
        rf"{{{_number(found.of_exact)}}} = {found.cost:.3g} \end{{aligned}}"
    )
    st.markdown(f"{said.RATIO} Here n = {found.tokens:,} tokens, d = {each} channels.")
    if not found.infinite:
        st.latex(
            r"\operatorname{KL}(A_i \,\Vert\, \hat A_i) = \sum_j A_{ij} \log_2 \frac{A_{ij}}{\hat A_{ij}} = "
            rf"{found.divergence:.3g} \text{{ bits}}"
        )


def _own(method: Method) -> str:
    variant = method.variant
    if isinstance(variant, SlidingWindow):
        where = rf"0 \le i - j < {variant.window}" if variant.causal else rf"|i - j| \le {variant.window // 2}"
        return rf"\hat A_{{ij}} \propto e^{{q_i k_j / \sqrt d}} \ \text{{where}}\ {where}"
    if isinstance(variant, BigBird):
        return (
            r"\begin{aligned} &\hat A_{ij} \propto e^{q_i k_j / \sqrt d} \\ &\text{where}\ j \in W(i) \cup R(i) "
            rf"\cup G \\ &|W| = {variant.window},\ |R| = {variant.random} \text{{ blocks}} \\ "
            rf"&|G| = {variant.global_tokens} \text{{ tokens}} \end{{aligned}}"
        )
    if isinstance(variant, Linformer):
        return (
            r"\begin{aligned} \hat A &= \operatorname{softmax}\!\left( \frac{Q\,(E K)^\top}{\sqrt d} \right) E "
            rf"\\ k &= {variant.rank} \end{{aligned}}"
        )
    if isinstance(variant, Performer):
        return (
            r"\begin{aligned} \hat A_{ij} &\propto \phi(q_i)^\top \phi(k_j) \\ \phi(x) &= \tfrac{1}{\sqrt m}\, "
            rf"e^{{\omega x - \lVert x \rVert^2 / 2}} \\ m &= {variant.features} \end{{aligned}}"
        )
    if isinstance(variant, Clustered):
        return rf"\hat A_i = \operatorname{{softmax}}(q^c_{{c(i)}} K^\top / \sqrt d), \quad C = {variant.clusters}"
    assert isinstance(variant, LowRank)
    return rf"\hat A = \sum_{{r \le {variant.rank}}} \sigma_r u_r v_r^\top"


def _number(count: int) -> str:
    return f"{count:,}".replace(",", "{,}")
