"""The curves of deletion and insertion for the photograph in view, beside those of random orders."""

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard.figures.paper import escape
from dashboard.photograph import Photograph as Given
from dashboard.theme import HUES
from pages.vision.vision_transformer import compute_explained as kept
from pages.vision.vision_transformer import explain_notices
from pages.vision.vision_transformer import words_explain as said
from pages.vision.vision_transformer.figures_faithfulness import RANDOM, faithfulness_curves

HUE = dict(zip(said.TITLES.values(), HUES, strict=False))
PATIENCE = 30  # seconds: what takes longer is measured when somebody asks for it
SIDES = {
    "deletion": ("patches taken away", "Deletion: the lower, the more faithful"),
    "insertion": ("patches put back", "Insertion: the higher, the more faithful"),
}


def show(chosen: Given, explained: kept.ExplainedPicture, number: int | None) -> tuple[str, ...]:
    """Both figures, as soon as they are measured; what is to be noticed in them."""
    st.subheader("Which one tells the truth?", anchor=False)
    measured = measure(chosen, explained, number)
    if measured is None:
        return ()
    noticed = explain_notices.about_faithfulness(measured)
    if not layout.is_presented():
        st.markdown(noticed[0])
    for place, side in zip(st.columns(2, gap="medium"), SIDES, strict=True):
        with place:
            _curves(explained, measured, side)
    if not layout.is_presented():
        st.caption(said.TAKEN_AWAY.format(draws=len(measured.draws)))
    return noticed


def measure(chosen: Given, explained: kept.ExplainedPicture, number: int | None) -> kept.MeasuredPicture | None:
    """The curves; None while nobody has asked for what would take long."""
    if explained.waiting > PATIENCE:
        label = said.LONG.format(seconds=explained.waiting)
        if not st.toggle(label, key="explain_measure", bind="query-params"):
            return None
    with layout.waiting_place(), st.spinner("Taking patches away and putting them back …"):
        return kept.measure_picture(chosen.name, chosen.picture, chosen.resolution, number)


def _curves(explained: kept.ExplainedPicture, measured: kept.MeasuredPicture, side: str) -> None:
    assert explained.number is not None
    x, title = SIDES[side]
    curves = {said.TITLES[name]: curve for name, curve in measured.curves.items()} | {RANDOM: measured.random}
    lines = {name: getattr(curve, side).numpy() for name, curve in curves.items()}
    areas = {name: getattr(curve, f"{side}_area") for name, curve in curves.items()}
    low, high = measured.band(side)
    name = explained.model.classes[explained.number]
    st.markdown(f"**{title}**")
    figure = faithfulness_curves(
        measured.random.shares.numpy(),
        lines,
        areas,
        (low, high),
        hues=HUE,
        look=layout.look(),
        x=x,
        y=f"probability of {escape(name)}",
        height=layout.look().high(400),
    )
    charts.chart(
        figure,
        name=f"explain-{side}",
        alt=f"{title}. Areas: " + ", ".join(f"{name} {area:.3f}" for name, area in areas.items()),
        table=pd.DataFrame(
            {"share": measured.random.shares.numpy(), **lines, "random, lowest": low, "random, highest": high}
        ),
    )
