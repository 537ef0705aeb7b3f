"""The diagram, and the numbers of the part that is chosen in it."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import layout
from dashboard.components.diagram import diagram, scene
from pages.foundations.inside_the_transformer import choices, formulas, notices, part_view
from pages.foundations.inside_the_transformer import words as words_inside
from pages.foundations.inside_the_transformer.compute import Walk


def show(walk: Walk) -> None:
    """Diagram on the left, part on the right; one below the other where there is little room."""
    left, right = _places(beside=len(walk.walked.lanes) == 1)
    with right:
        part = choices.part(walk)
    with left:
        drawn = scene(walk.walked, part.key, begins=_begins(walk), ends=_ends(walk))
        diagram(drawn, chosen=part.key, on_choose=choices.choose_part(), key="diagram")
    with right:
        part_view.show(walk, part)
    layout.notes(words_inside.INSIDE, notice=notices.walk_notices(walk), formula=lambda: formulas.blocks(walk))


def _places(*, beside: bool) -> tuple[DeltaGenerator, DeltaGenerator]:
    """For diagram and part: side by side, or, where the diagram has two lanes, one below the other."""
    if beside:
        left, right = st.columns([1, 1.6], gap="medium")
        return left, right
    return st.container(), st.container()


def _begins(walk: Walk) -> tuple[str, ...]:
    if walk.patches:
        return (" + ".join((f"{walk.patches.rows * walk.patches.columns} patches", *walk.patches.prefix)),)
    return tuple(f"{len(labels)} tokens" for labels in walk.labels.values())


def _ends(walk: Walk) -> str:
    if walk.walked.logits is None:
        return "vectors"
    return f"{walk.walked.logits.shape[-1]:,} scores"
