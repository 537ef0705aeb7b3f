"""What is to be noticed in BLEU against cost, computed from what is shown."""

import pandas as pd
import streamlit as st

from dashboard import layout
from dashboard.numbers import with_power
from pages.scale.scaling_comparison import words_translation as said
from pages.scale.scaling_comparison.shown import Shown

# Vaswani et al. 2017, section 5.2 and its footnote: hours, cards, and what a P100 sustains.
PAPER = {"Transformer (base)": (12.0, 8, 9.5e12), "Transformer (big)": (84.0, 8, 9.5e12)}


def about(shown: Shown) -> tuple[str, ...]:
    """The best, who is on the front, and what the same BLEU cost others."""
    if shown.placed.empty:
        return (said.NOTHING,)
    return tuple(sentence for part in (_best, _front, _same) if (sentence := part(shown)))


def _best(shown: Shown) -> str:
    y = shown.choices.y
    if y.better != "more":
        return ""
    row = shown.placed.loc[shown.placed[y.column].idxmax()]
    return f"The best *{y.inside}* has **{layout.plain(row.label)}**: {y.tell(row[y.column])} ({row.family})."


def _front(shown: Shown) -> str:
    if shown.front.empty:
        return ""
    names = ", ".join(layout.plain(label) for label in shown.front.label)
    families = set(shown.front.family)
    only = f" All are {families.pop()}s: no other family is on it." if families == {"transformer"} else ""
    return f"On the Pareto front: {names}.{only}"


def _same(shown: Shown) -> str:
    """The dearest model that scores no more than a transformer: how many times its cost."""
    x, y = shown.choices.x, shown.choices.y
    if x.better != "less" or y.better != "more":
        return ""
    ours = shown.front[shown.front.family == "transformer"]
    pairs: list[tuple[float, pd.Series, pd.Series]] = []
    for _, own in ours.iterrows():
        others = shown.placed[(shown.placed.family != "transformer") & (shown.placed[y.column] <= own[y.column])]
        if len(others):
            best = others.loc[others[y.column].idxmax()]
            pairs.append((best[x.column] / own[x.column], own, best))
    if not pairs:
        return ""
    times, own, other = max(pairs, key=lambda pair: pair[0])
    return (
        f"**{layout.plain(own.label)}** reaches {y.tell(own[y.column])} with {x.tell(own[x.column])}; the best other "
        f"model that scores no more, **{layout.plain(other.label)}** ({y.tell(other[y.column])}), took "
        f"{x.tell(other[x.column])}: **{times:.1f} times** as much."
    )


def estimated(shown: Shown) -> tuple[str, ...]:
    """How the FLOPs of the paper came about; what BLEU of the past can be compared with."""
    ensembles = int(shown.placed.label.str.contains("ensemble").sum())
    some = (
        (f"{ensembles} of those shown are ensembles of several networks, the others single ones.",) if ensembles else ()
    )
    return (*some, said.ESTIMATED, said.TOKENS)


def stated(shown: Shown) -> tuple[str, ...]:
    """Every paper measured itself."""
    del shown
    return (said.STATED, said.TOKENS)


def formula(shown: Shown) -> None:
    """The paper's estimate, with its own numbers."""
    st.latex(r"\text{FLOPs} \approx \text{seconds} \cdot \text{cards} \cdot \text{FLOPs/s}")
    lines = [
        rf"{3600 * hours:,.0f} \cdot {cards} \cdot {_latex(speed)} &= {_latex(3600 * hours * cards * speed)}"
        for hours, cards, speed in PAPER.values()
    ]
    both = r" \\ ".join(lines).replace(",", "{,}")
    st.latex(rf"\begin{{aligned}} {both} \end{{aligned}}")
    st.markdown(said.FORMULA)
    x = shown.choices.x
    if "flops" in x.column:
        own = shown.placed[shown.placed.label.isin(PAPER)]
        told = ", ".join(f"{row.label} {with_power(row[x.column], digits=2)}" for _, row in own.iterrows())
        if told:
            st.markdown(f"In the table: {told}.")


def _latex(value: float) -> str:
    digits, exponent = f"{value:.1e}".split("e")
    return rf"{digits} \times 10^{{{int(exponent)}}}"
