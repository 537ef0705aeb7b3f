"""The space: pictures and sentences as points, seen from where they differ most, and what that hides."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import theme
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import EMOJI, SCENES
from dashboard.number_format import compare, signed
from dashboard.output import charts
from pages.words_and_pictures.clip import compute, inputs
from pages.words_and_pictures.clip.compute import Map
from pages.words_and_pictures.clip.figures import plane
from pages.words_and_pictures.clip.prose import PAGE

SECTION = PAGE.section("The space")
POINTS = (50, 100, 150)
APART = 0.05  # of cosines: a smaller difference counts as none


def show() -> None:
    """The plane, what its axes hold, what is hidden."""
    with layout.control_bar():
        world = controls.choice("World", (EMOJI, SCENES), key="space_world")
        count = controls.choice("Pictures", POINTS, key="space_count", first=POINTS[1])
    name = inputs.WORLDS[world]
    with layout.waiting_place():
        projection = compute.space(name, count)
    named = (projection.names, projection.texts)
    figure = partial(plane, projection.pictures, projection.sentences, named, look=theme.look(), held=projection.held)
    table = pd.DataFrame(
        {
            "kind": ["picture"] * len(projection.pictures) + ["sentence"] * len(projection.sentences),
            "name": [*projection.names, *projection.texts],
            "first": [*projection.pictures[:, 0], *projection.sentences[:, 0]],
            "second": [*projection.pictures[:, 1], *projection.sentences[:, 1]],
        }
    )
    alt = (
        f"{len(projection.pictures)} pictures and {len(projection.texts)} sentences on the first two principal "
        "components"
    )
    charts.chart(figure, name="clip-space", alt=alt, table=table)
    layout.place_notice()
    st.markdown(SECTION.text("Projection"), width=theme.PROSE)
    shares = ", ".join(f"{share:.1%}" for share in projection.held[:6])
    layout.notes(SECTION, notice=noticed(projection), numbers={"shares": shares})


def noticed(projection: Map) -> tuple[str, ...]:
    """What the plane holds and hides, whether the kinds lie apart, and how near what belongs together is."""
    share = float(projection.held[:2].sum())
    most = int(np.searchsorted(np.cumsum(projection.held), 0.9)) + 1
    sentences = [
        f"The two axes hold **{share:.0%}** of the variance; for 90% it takes {most} axes. The rest is hidden here."
        if np.isfinite(share)
        else "All points lie in one place: nothing differs that could be shown."
    ]
    return (*sentences, *_tell_kinds(projection), *_tell_own(projection))


def _tell_kinds(projection: Map) -> Iterator[str]:
    """Whether pictures are nearer to one another than to sentences of others; up to APART counts as equal."""
    means = f"The mean picture and the mean sentence have a cosine of **{signed(projection.between)}**"
    kinds = compare(projection.other, projection.across, margin=APART)
    if kinds == "unknown":
        return
    says = {
        "more": "the two kinds lie apart",
        "as much": "the two kinds do not lie apart",
        "less": "a picture is nearer to sentences than to pictures",
    }[kinds]
    yield (
        f"{means}. Two pictures have {signed(projection.other)} on average, a picture and the sentence of another "
        f"{signed(projection.across)}: {says}."
    )


def _tell_own(projection: Map) -> Iterator[str]:
    """How near held-out pictures are to their own sentences, beside other sentences and what was learned."""
    nearer = {"more": "nearer to its own sentence than", "less": "farther from its own sentence than"}
    how = nearer.get(compare(projection.own, projection.across, margin=APART), "no nearer to its own sentence than")
    if np.isfinite(projection.own) and np.isfinite(projection.across):
        yield (
            f"A picture and its own sentence have a cosine of **{signed(projection.own)}** on average: it is {how} to "
            "those of others."
        )
    if projection.learned is not None:
        yield (
            f"All pictures here were held out. From others the network learned, and has {signed(projection.learned)} "
            "for them and their names."
        )
