"""The space: pictures and sentences as points, seen from where they differ most, and what that hides."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import charts, controls, layout
from dashboard.numbers import signed
from dashboard.seen import EMOJI, SCENES
from pages.words_and_pictures.clip import compute, inputs, words
from pages.words_and_pictures.clip.compute import Map
from pages.words_and_pictures.clip.figures import plane

POINTS = (50, 100, 200)


def show() -> None:
    """The plane, what its axes hold, what is hidden."""
    with layout.control_bar():
        world = controls.choice("World", (EMOJI, SCENES), key="space_world")
        count = controls.choice("Pictures", POINTS, key="space_count", first=POINTS[1])
    name = inputs.WORLDS[world]
    if not layout.is_presented():
        st.markdown(words.SPACE_ABOUT, width=layout.PROSE)
    with layout.waiting_place():
        found = compute.space(name, count)
    named = (found.names, found.texts)
    figure = partial(plane, found.pictures, found.read, named, look=layout.look(), held=found.held)
    table = pd.DataFrame(
        {
            "kind": ["picture"] * len(found.pictures) + ["sentence"] * len(found.read),
            "name": [*found.names, *found.texts],
            "first": [*found.pictures[:, 0], *found.read[:, 0]],
            "second": [*found.pictures[:, 1], *found.read[:, 1]],
        }
    )
    alt = f"{len(found.pictures)} pictures and {len(found.texts)} sentences on the first two principal components"
    charts.chart(figure, name="clip-space", alt=alt, table=table)
    layout.notes(words.SPACE_NOTES, notice=noticed(found), formula=lambda: _formula(found))


def noticed(found: Map) -> tuple[str, ...]:
    """What the plane holds and hides, the gap between the kinds, and how near what belongs together is."""
    shown = float(found.held[:2].sum())
    most = int(np.searchsorted(np.cumsum(found.held), 0.9)) + 1
    told = [
        f"The two axes hold **{shown:.0%}** of the variance; for 90% it takes {most} axes. The rest is hidden here.",
        f"The mean picture and the mean sentence have a cosine of **{signed(found.between)}**: "
        + ("the two kinds lie apart." if found.between < 0.5 else "the two kinds lie near one another."),
    ]
    if np.isfinite(found.own):
        nearer = "nearer" if found.own > found.other else "no nearer"
        told.append(
            f"A picture and its own sentence have a cosine of {signed(found.own)} on average, two pictures "
            f"{signed(found.other)}: a picture is {nearer} to its sentence than to other pictures."
        )
    return tuple(told)


def _formula(found: Map) -> None:
    st.latex(r"\begin{gathered} X - \bar X = U \Sigma V^\top \\ \text{places} = (X - \bar X)\, V_{1,2} \end{gathered}")
    held = ", ".join(f"{share:.1%}" for share in found.held[:6])
    st.markdown(f"What the first six axes hold: {held}.")
