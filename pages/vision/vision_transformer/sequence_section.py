"""Picture to sequence: how a photograph becomes tokens, stage by stage, with the model's own numbers."""

import streamlit as st

from dashboard import layout
from dashboard import photograph as given
from pages.vision.vision_transformer import sequence_maps, sequence_notices, sequence_patch, sequence_stages
from pages.vision.vision_transformer import words_sequence as said
from pages.vision.vision_transformer.compute_sequence import follow_picture


def show() -> None:
    """The picture under its grid, the stages, one patch followed through them, and what was learned."""
    chosen = given.choose(given.TRANSFORMERS, attends=False)
    if not chosen.model.attends:
        st.info(said.CONVOLUTIONAL.format(title=layout.plain(chosen.model.title)), icon=":material/info:")
        return
    with layout.waiting_place():
        followed = follow_picture(chosen.name, chosen.picture, chosen.resolution)
    place = sequence_patch.chosen(followed)
    picture, followed_patch = st.columns([1, 1.5], gap="large")
    with picture:
        sequence_patch.show_picture(followed, place)
    with followed_patch:
        sequence_patch.show_pixels(followed, place)
    sequence_stages.show_table(followed)
    sequence_patch.show_vectors(followed, place)
    sequence_stages.show_arrays(followed, place)
    sequence_maps.show_filters(followed)
    sequence_maps.show_positions(followed, place)
    layout.notes(
        said.NOTES,
        notice=sequence_notices.about(followed, place),
        formula=lambda: sequence_notices.formula(followed, place),
    )
