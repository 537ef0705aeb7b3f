"""What the fitted law says, in sentences and in its formula."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.scaling import Chinchilla
from dashboard.numbers import amount, in_latex, with_power
from pages.scale.scaling_comparison import words_laws as said

if TYPE_CHECKING:
    from pages.scale.scaling_comparison.laws_section import Shown


def notice(shown: "Shown") -> tuple[str, ...]:
    """How well the law foretells, how flat it is, and what it advises."""
    return (_foretold(shown), *_advice(shown))


def _foretold(shown: "Shown") -> str:
    errors = 100 * (shown.predicted / shown.runs.points.loss - 1)
    fitted, held = errors[~shown.held_out], errors[shown.held_out]
    first = f"On the {len(fitted)} runs that it was fitted to, the law is wrong by {_typical(fitted)} on average"
    if not len(held):
        return f"{first}. Nothing was held back, so nothing says yet whether it foretells."
    bias = float(held.mean())
    direction = "too high" if bias > 0 else "too low"
    leaning = f"{abs(bias):.1f} % {direction}" if abs(bias) >= 0.05 else "right"
    return (
        f"{first}; on the {len(held)} dearer ones that were held back, by {_typical(held)}: its forecasts are "
        f"{leaning} in the mean. "
        + (
            "It foretells them about as well as it describes the others."
            if _size(held) < 1.5 * _size(fitted)
            else "It describes better than it foretells."
        )
    )


def _advice(shown: "Shown") -> tuple[str, ...]:
    law = shown.found.best
    flops = float(f"{shown.runs.points.flops.max():.0e}")
    if not isinstance(law, Chinchilla):
        return ()
    sizes, tokens = law.optimal(np.array([flops, 10 * flops]))
    here, more = law.loss(sizes, tokens)
    ratios = [each.optimal(np.array([flops])) for each in shown.found.drawn if isinstance(each, Chinchilla)]
    low, high = np.quantile([float((d / n)[0]) for n, d in ratios], (0.05, 0.95))
    return (
        f"At {with_power(flops, digits=1)} FLOPs the best split is {amount(sizes[0]).strip()} parameters and "
        f"{amount(tokens[0]).strip()} tokens: "
        f"{tokens[0] / sizes[0]:.0f} tokens for each parameter (90 % interval {low:.0f} to {high:.0f}).",
        f"Ten times the compute, split at its best, lowers the loss from {here:.3f} to {more:.3f}; no compute lowers "
        f"it below E = {law.irreducible:.3f}.",
    )


def formula(shown: "Shown") -> None:
    """The law, and the same with its numbers."""
    st.latex(said.FORMULAS[shown.law])
    st.latex(_filled(shown))


def _filled(shown: "Shown") -> str:
    values = [in_latex(value) for value in shown.found.best.values()]
    if shown.law == "Chinchilla":
        e, a, b, alpha, beta = values
        return rf"L(N, D) = {e} + \frac{{{a}}}{{N^{{{alpha}}}}} + \frac{{{b}}}{{D^{{{beta}}}}}"
    if shown.law == "Kaplan":
        n, d, alpha_n, alpha_d = values
        ratio = f"{alpha_n}/{alpha_d}"
        return rf"L(N, D) = \left[\left(\frac{{{n}}}{{N}}\right)^{{{ratio}}} + \frac{{{d}}}{{D}}\right]^{{{alpha_d}}}"
    e, critical, alpha = values
    return rf"L(C) = {e} + \left(\frac{{{critical}}}{{C}}\right)^{{{alpha}}}"


def _size(errors: np.ndarray) -> float:
    return float(np.sqrt((errors**2).mean()))


def _typical(errors: np.ndarray) -> str:
    return f"{_size(errors):.1f} %"
