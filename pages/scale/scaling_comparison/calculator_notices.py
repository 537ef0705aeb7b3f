"""What the calculated numbers mean, in sentences and formulas."""

import math
from typing import TYPE_CHECKING

import streamlit as st

from core.scaling import RULE, hours
from dashboard.numbers import amount, in_latex
from pages.scale.scaling_comparison import words_calculator as said
from pages.scale.scaling_comparison.figures_budget import Split

if TYPE_CHECKING:
    from pages.scale.scaling_comparison.calculator_section import Wanted


def notice(wanted: "Wanted", split: Split) -> tuple[str, ...]:
    """The rule beside the count, the fit, and the better split."""
    return (_rule(wanted), _fit(wanted), _better(wanted, split))


def _rule(wanted: "Wanted") -> str:
    rule, exact = (line.value for line in wanted.flops)
    share = 100 * (exact / rule - 1)
    if abs(share) < 2:
        return f"{RULE} is right here within {abs(share):.1f} %."
    return f"The exact count is {abs(share):.0f} % {'above' if share > 0 else 'below'} {RULE}: " + (
        "attention's scores grow with the context and are no parameters."
        if share > 0
        else "the table of token vectors is looked up, not multiplied, and counts among the parameters."
    )


def _fit(wanted: "Wanted") -> str:
    needed, has = sum(line.value for line in wanted.memory), wanted.device.bytes
    largest = max(wanted.memory, key=lambda line: line.value)
    told = f"Training needs {amount(needed)}B, most of it for *{largest.part}* ({largest.value / needed:.0%})"
    if needed <= has:
        return f"{told}: it fits into one {wanted.device.name}."
    return f"{told}: shared out evenly, it takes at least {math.ceil(needed / has):,} × {wanted.device.name}."


def _better(wanted: "Wanted", split: Split) -> str:
    (size, loss), (best, lowest) = split.chosen, split.best
    if loss - lowest < 0.002:
        return "For this compute no other size would do noticeably better."
    tokens = size * wanted.tokens / best
    spared = hours(6 * size * wanted.tokens, wanted.device, devices=wanted.devices, utilisation=wanted.utilisation)
    larger = "smaller" if best < size else "larger"
    return (
        f"By the law, a {larger} model of {amount(best).strip()} parameters that reads {amount(tokens).strip()} tokens "
        f"would reach {lowest:.3f} instead of {loss:.3f} in the same {spared:,.0f} hours of {RULE}. It would also be "
        f"{'cheaper' if best < size else 'dearer'} to run."
    )


def formula() -> None:
    """What the bill above is made of."""
    st.latex(r"C \approx 6\,N D \qquad t = \frac{C}{\text{devices}\cdot\text{peak}\cdot\text{share}}")
    st.markdown(said.FORMULA)


def bill(wanted: "Wanted") -> None:
    """Each line of the bill: the formula, the same with the numbers of the page, its value."""
    st.markdown(said.SYMBOLS)
    for line in (*wanted.flops, *wanted.memory, wanted.kept):
        st.markdown(f"**{line.part}**")
        st.latex(rf"{line.formula} = {line.filled} = {in_latex(line.value)}")
