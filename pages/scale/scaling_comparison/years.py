"""By year: how parameters, training compute and data of notable models grew, with the fitted doubling time."""

import numpy as np
import streamlit as st

from core.scaling.growth import Growth, fit_growth
from dashboard.figures.scatter import Line
from dashboard.frame import layout
from dashboard.number_format import with_power
from dashboard.theme import HUES
from pages.scale.scaling_comparison import compute
from pages.scale.scaling_comparison.explorer import Part, explore
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import Measure, Selection, Table, named, with_most

SECTION = PAGE.section("By year")
# Eight: the seventh hue is too pale for small marks on paper, so games have an olive of Tol's.
FIELDS = {
    "language": HUES[0],
    "vision": HUES[2],
    "language and vision": HUES[4],
    "image generation": HUES[3],
    "speech": HUES[5],
    "biology": HUES[1],
    "games": "#999933",
    "other": "#8a8f98",
}


def show() -> None:
    """The table in the explorer, with a line through what is shown of it."""
    about = SECTION.text("Growth of notable models")
    part = Part(SECTION, SECTION.name, layout.control_bar(), "How fast did models grow?", about)
    explore(table(), part, notice=notice, formula=formula, hides=hides, lines=lines)


def table() -> Table:
    """Epoch AI's notable models."""
    return Table(
        "years",
        compute.notable(),
        (
            Measure("year", "Year", "", "", "year"),
            Measure("training_flops", "Training FLOPs", "", "less", "power", log=True),
            Measure("parameters", "Parameters", "", "less", "count", log=True),
            Measure("data", "Data points", "", "less", "count", log=True),
        ),
        x="year",
        y="training_flops",
        hues=FIELDS,
        families="Field",
        filters={"confidence": "Epoch's confidence"},
        years="year",
        details={
            "organisation": "Organisation",
            "day": "Published",
            "domain": "Domain",
            "confidence": "Epoch's confidence",
            "reference": "Reference",
        },
        link="link",
    )


def growth(selection: Selection) -> Growth | None:
    """The line through what is shown, where years stand across and a size above; None where there is too little."""
    of = selection.choices
    if of.x.column != "year" or of.y.column == "year":
        return None
    rows = selection.placed[selection.placed[of.y.column] > 0]
    try:
        return fit_growth(*(rows[column].to_numpy(dtype=float) for column in ("year", of.y.column)))
    except ValueError:
        return None


def lines(selection: Selection) -> tuple[Line, ...]:
    """The fitted line with its band."""
    fitted = growth(selection)
    if fitted is None:
        return ()
    years = np.linspace(float(selection.placed.year.min()), float(selection.placed.year.max()), 60)
    low, high = fitted.band(years)
    return (Line(legend(fitted), years, fitted.line(years), dash="dash", low=low, high=high),)


def legend(fitted: Growth) -> str:
    """What stands in the legend: the doubling time where the interval of the rate leaves out 0."""
    if fitted.doubling_interval is None:
        return "least squares: grows or shrinks, not clear which"
    return f"least squares: {'doubles' if fitted.rate > 0 else 'halves'} every {time(abs(fitted.doubling))}"


def time(years: float) -> str:
    """A span that can be imagined: months below two years."""
    return f"{12 * years:.1f} months" if years < 2 else f"{years:.1f} years"


def hides(selection: Selection) -> tuple[str, ...]:
    """How sure the figures are, and who chose the models."""
    sure, every = int((selection.placed.confidence == "Confident").sum()), len(selection.placed)
    others = "" if sure == every else "; the others are likely, speculative or not graded"
    return (
        f"Epoch AI calls **{sure:,} of {every:,}** of these entries “Confident”{others}.",
        SECTION.text("Choice of models"),
    )


def notice(selection: Selection) -> tuple[str, ...]:
    """The doubling time with its interval, the largest model, and how far the points lie from the line."""
    y, fitted, sentences = selection.choices.y, growth(selection), []
    if y.column != "year":
        largest = with_most(selection.placed, y.column)
        years = "/".join(dict.fromkeys(f"{year:.0f}" for year in np.floor(largest.year)))
        has = "has" if len(largest) == 1 else "have"
        figure = y.tell(largest[y.column].iloc[0])
        sentences.append(f"{named(largest)} ({years}) {has} the most *{y.inside}* of those shown: {figure}.")
    if fitted is None:
        return (*sentences, SECTION.text("Conditions of a line"))
    factor = 10**fitted.scatter
    return (
        _growth(selection, fitted),
        *sentences,
        f"The models scatter around the line by a factor of {factor:{',.0f' if factor >= 10 else '.2f'}} either way "
        "(one standard deviation), so the line does not predict a single model.",
    )


def _growth(selection: Selection, fitted: Growth) -> str:
    y, interval = selection.choices.y, fitted.doubling_interval
    if interval is None:
        return (
            f"These {fitted.count:,} models do not show whether *{y.inside}* grew: the interval of the rate includes 0."
        )
    ends = " to ".join(time(abs(end)) for end in sorted(interval, key=abs))
    word = "doubled" if fitted.rate > 0 else "halved"
    return (
        f"Over the {fitted.count:,} models shown, *{y.inside}* {word} every **{time(abs(fitted.doubling))}** (95% "
        f"interval {ends}): times {10**fitted.rate:.2g} a year."
    )


def formula(selection: Selection) -> None:
    """The line and the doubling time with the numbers of the page, where a line is fitted."""
    if (fitted := growth(selection)) is None:
        return
    low, high = fitted.interval
    line = SECTION.text(
        "Fitted line",
        level=fitted.level,
        rate=fitted.rate,
        centre=fitted.centre,
        low=low,
        high=high,
        count=fitted.count,
        middle=with_power(10**fitted.level, digits=2) if fitted.level > 3 else f"{10**fitted.level:.3g}",
        measure=selection.choices.y.inside,
    )
    st.markdown(line)
    if fitted.doubling_interval is not None:
        st.markdown(SECTION.text("Doubling time", rate=fitted.rate, doubling_time=fitted.doubling))
