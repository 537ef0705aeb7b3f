"""By year: how parameters, training compute and data of notable models grew, with the fitted doubling time."""

import numpy as np
import streamlit as st

from core.scaling.growth import Growth, fit_growth
from dashboard import layout
from pages.scale.scaling_comparison import compute as kept
from pages.scale.scaling_comparison import words_years as said
from pages.scale.scaling_comparison import years_notices as notices
from pages.scale.scaling_comparison.collection import Collection, Measure
from pages.scale.scaling_comparison.explorer import explore
from pages.scale.scaling_comparison.figures_explored import Line
from pages.scale.scaling_comparison.hues import FIELD
from pages.scale.scaling_comparison.shown import Shown

MEASURES = (
    Measure("year", "Year", "", "", "year"),
    Measure("training_flops", "Training FLOPs", "", "less", "power", log=True),
    Measure("parameters", "Parameters", "", "less", "count", log=True),
    Measure("data", "Data points", "", "less", "count", log=True),
)


def collection() -> Collection:
    """Epoch AI's notable models."""
    return Collection(
        "years",
        kept.notable(),
        MEASURES,
        x="year",
        y="training_flops",
        hues=FIELD,
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


def show() -> None:
    """The table in the explorer, with a line through what is shown of it."""
    st.subheader(said.TITLE, anchor=False)
    if not layout.is_presented():
        st.markdown(said.ABOUT, width=layout.PROSE)
    shown = explore(collection(), lines=lines, told=notices.chosen_by)
    fitted = growth(shown)
    layout.notes(said.NOTES, notice=notices.about(shown, fitted), formula=lambda: notices.formula(shown, fitted))


def growth(shown: Shown) -> Growth | None:
    """The line through what is shown, where years stand across and a size above; None where there is too little."""
    of = shown.choices
    if of.x.column != "year" or of.y.column == "year":
        return None
    rows = shown.placed[shown.placed[of.y.column] > 0]
    try:
        return fit_growth(*(rows[column].to_numpy(dtype=float) for column in ("year", of.y.column)))
    except ValueError:
        return None


def lines(shown: Shown) -> tuple[Line, ...]:
    """The fitted line with its band."""
    fitted = growth(shown)
    if fitted is None:
        return ()
    years = np.linspace(float(shown.placed.year.min()), float(shown.placed.year.max()), 60)
    low, high = fitted.band(years)
    return (Line(notices.name(fitted), years, fitted.line(years), low=low, high=high),)
