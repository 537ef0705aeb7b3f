"""The formulas of one step, with the numbers that are shown."""

import math

import streamlit as st

from core.translation.decoder_step import Look
from core.translation.decoding import PENALTY
from dashboard import contents
from pages.language.translation import words_steps as said
from pages.language.translation.compute import Translated


def look(look: Look, translated: Translated, place: int, step: int) -> None:
    """Score, weight and mixed vector of the source word that is worked out; then the score of the beam."""
    score, weight = float(look.scores[place]), float(look.weights[place])
    best = float(look.scores.max())
    total = float((look.scores - best).exp().sum())
    index = f"{step},{place + 1}"
    if look.activation is not None:
        st.latex(rf"e_{{{index}}} = v^{{\top}} \tanh(W s_{{{step - 1}}} + U h_{{{place + 1}}}) = {score:.3f}")
    elif look.state is not None:
        st.latex(rf"e_{{{index}}} = (W s_{{{step - 1}}}) \cdot (U h_{{{place + 1}}}) = {score:.3f}")
    else:
        raw, each = float(look.raw_scores[place]), len(look.query)
        st.latex(
            rf"e_{{{index}}} = \frac{{q_{{{step}}} \cdot k_{{{place + 1}}}}}{{\sqrt{{{each}}}}} "
            rf"= \frac{{{raw:.3f}}}{{{math.sqrt(each):.3g}}} = {score:.3f}"
        )
    st.latex(
        r"\begin{aligned} "
        rf"a_{{{index}}} &= \frac{{e^{{{score:.3f} - {_minus(best)}}}}}{{\sum_j e^{{e_j - {_minus(best)}}}}} "
        rf"\\ &= \frac{{{math.exp(score - best):.4f}}}{{{total:.4f}}} = {weight:.4f} \end{{aligned}}"
    )
    vector, value = ("c", "h") if look.state is not None else ("o", "v")
    st.latex(rf"{vector}_{{{step}}} = \sum_j a_{{{step},j}}\, {value}_j")
    if look.state is None:
        contents.STEPS.link("Attention step by step")
    _beam(translated, step)


def _minus(value: float) -> str:
    return f"{value:.3f}" if value >= 0 else f"({value:.3f})"


def memory(translated: Translated, step: int) -> None:
    """The recurrence with one summary; then the score of the beam."""
    st.latex(r"\begin{aligned} c &= \tanh(V h) \\ s_i &= \mathrm{GRU}([y_{i-1};\, c],\; s_{i-1}) \end{aligned}")
    st.markdown(said.MEMORY_FORMULA)
    _beam(translated, step)


def _beam(translated: Translated, step: int) -> None:
    """The score by which the beam puts complete translations in order, for what is written up to this step."""
    total = sum(translated.decoded.best.log_probabilities[:step])
    divisor = ((5 + step) / 6) ** PENALTY
    st.latex(
        r"\begin{aligned} "
        rf"\mathrm{{score}} &= \frac{{\sum_{{i=1}}^{{{step}}} \log p(y_i)}}{{((5 + {step})/6)^{{{PENALTY}}}}} "
        rf"\\ &= \frac{{{total:.3f}}}{{{divisor:.3f}}} = {total / divisor:.3f} \end{{aligned}}"
    )
    st.markdown(said.BEAM_FORMULA)
