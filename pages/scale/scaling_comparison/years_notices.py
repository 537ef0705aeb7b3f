"""What is to be noticed in the growth of notable models, computed from what is shown."""

import math

import streamlit as st

from core.scaling.growth import Growth
from dashboard import layout
from dashboard.numbers import with_power
from pages.scale.scaling_comparison import words_years as said
from pages.scale.scaling_comparison.shown import Shown


def name(fitted: Growth) -> str:
    """What stands in the legend."""
    word = "doubles" if fitted.rate > 0 else "halves"
    return f"least squares: {word} every {time(abs(fitted.doubling))}"


def time(years: float) -> str:
    """A span that can be imagined: months below two years."""
    return f"{12 * years:.1f} months" if years < 2 else f"{years:.1f} years"


def about(shown: Shown, fitted: Growth | None) -> tuple[str, ...]:
    """The doubling time with its interval, the largest model, and how far the points lie from the line."""
    if shown.placed.empty:
        return (said.NOTHING,)
    y = shown.choices.y
    sentences = []
    if y.column != "year":
        largest = shown.placed.loc[shown.placed[y.column].idxmax()]
        sentences.append(
            f"The most *{y.inside}* has **{layout.plain(largest.label)}** of {int(largest.year)}: "
            f"{y.tell(largest[y.column])}."
        )
    if fitted is None:
        return (*sentences, said.NO_FIT)
    return (*_growth(shown, fitted), *sentences, _scatter(fitted))


def _growth(shown: Shown, fitted: Growth) -> tuple[str, ...]:
    y, interval = shown.choices.y, fitted.doubling_interval
    if interval is None:
        return (
            f"Whether *{y.inside}* grew at all cannot be told from these {fitted.count:,} models: the interval of the "
            "rate holds 0.",
        )
    ends = " to ".join(time(abs(end)) for end in sorted(interval, key=abs))
    word = "doubled" if fitted.rate > 0 else "halved"
    return (
        f"Over the {fitted.count:,} models shown, *{y.inside}* {word} every **{time(abs(fitted.doubling))}** (95 % "
        f"interval {ends}): times {10**fitted.rate:.2g} a year.",
    )


def _scatter(fitted: Growth) -> str:
    return (
        f"Around the line the models scatter by a factor of {_factor(10**fitted.scatter)} either way (one standard "
        "deviation): a trend, no rule for a single model."
    )


def _factor(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def chosen_by(shown: Shown) -> tuple[str, ...]:
    """How sure the figures are, and who chose the models."""
    counted = shown.placed.confidence.value_counts()
    sure, every = int(counted.get("Confident", 0)), int(counted.sum())
    return (
        f"Epoch AI calls **{sure:,} of {every:,}** of these entries “Confident”; the others are likely, speculative or "
        "not graded.",
        said.NOTABLE,
    )


def formula(shown: Shown, fitted: Growth | None) -> None:
    """The line and the doubling time, with the numbers of the page."""
    st.latex(r"\log_{10} \hat y = a + b\,(t - \bar t)")
    if fitted is None:
        return
    low, high = fitted.interval
    st.latex(
        rf"\log_{{10}} \hat y = {fitted.level:.2f} + {fitted.rate:.3f}\,(t - {fitted.centre:.1f}), \quad "
        rf"b \in [{low:.3f},\, {high:.3f}]"
    )
    st.latex(
        rf"T_2 = \frac{{\log_{{10}} 2}}{{b}} = \frac{{{math.log10(2):.3f}}}{{{fitted.rate:.3f}}} "
        rf"= {fitted.doubling:.2f}\ \text{{years}}"
    )
    middle = with_power(10**fitted.level, digits=2) if fitted.level > 3 else f"{10**fitted.level:.3g}"
    st.markdown(said.FORMULA.format(count=f"{fitted.count:,}", middle=middle, measure=shown.choices.y.inside))
