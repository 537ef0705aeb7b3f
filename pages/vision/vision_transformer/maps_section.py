"""Maps: any layer, head and patch over the photograph, and how far each head looks."""

import numpy as np
import pandas as pd
import streamlit as st

from core.capture import AttentionCall
from dashboard import charts, export, layout
from dashboard import photograph as given
from dashboard.components.photo_maps import photo_maps
from dashboard.figures.distances import distances
from dashboard.watched import WatchedImage
from pages.vision.vision_transformer import compute_maps as vision_maps
from pages.vision.vision_transformer import maps_notices
from pages.vision.vision_transformer import words_maps as said
from pages.vision.vision_transformer.compute_maps import Measured
from pages.vision.vision_transformer.photo_scene import check_attends, grids_of, left_out


def show() -> None:
    """The maps, the distances, the notes."""
    chosen = given.choose(given.TRANSFORMERS, attends=False)
    check_attends(chosen.model)
    with layout.waiting_place(), st.spinner("Looking …"):
        watched = chosen.watched()
        scene = vision_maps.scene_of(watched)
    photo_maps(scene, key="vision-maps", name="maps")
    if not layout.is_presented():
        if missing := left_out(watched, grids_of(watched)):
            st.caption(missing)
        export.download_all_heads(watched)
    layers = vision_maps.measured_layers(watched)
    _distances(layers)
    layout.notes(said.NOTES, notice=maps_notices.noticed(layers), formula=lambda: _formula(watched, layers))


def _distances(layers: tuple[Measured, ...]) -> None:
    st.subheader(said.HOW_FAR, anchor=False)
    if not layout.is_presented():
        st.markdown(said.HOW_FAR_ABOUT, width=layout.PROSE)
    figure = distances(
        [str(own.number) for own in layers],
        [own.distances for own in layers],
        even=layers[-1].even,
        look=layout.look(),
        height=layout.look().high(360),
    )
    charts.chart(
        figure,
        name="vision-distances",
        alt="Mean attention distance in pixels of each head by layer: from "
        + "; ".join(f"layer {own.number} {_range(own.distances)}" for own in layers),
        table=_table(layers),
    )


def _range(values: np.ndarray) -> str:
    return f"{np.nanmin(values):.0f} to {np.nanmax(values):.0f}" if np.isfinite(values).any() else "no number"


def _table(layers: tuple[Measured, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"layer": own.number, "head": head, "mean attention distance in pixels": value, "even attention": own.even}
            for own in layers
            for head, value in enumerate(own.distances)
        ]
    )


def _formula(watched: WatchedImage, layers: tuple[Measured, ...]) -> None:
    own = layers[-1]
    call, patches = watched.record.calls[own.number], own.patches
    places = rf"{patches.rows} \cdot {patches.columns}"
    tokens = f"{len(patches.prefix)} + {places} = {call.query_length}" if patches.prefix else places
    st.latex(
        r"\begin{gathered} a_{ij} = \operatorname{softmax}_j\!\left(s\, q_i \cdot k_j\right)"
        + _scale(call)
        + r" \end{gathered}"
    )
    st.markdown(
        f"Each head of layer {own.number} has ${tokens}$ tokens, so {call.query_length**2:,} weights; each row sums "
        f"to 1. {said.FORMULA}"
    )
    st.latex(r"\bar d = \frac{1}{N} \sum_i \frac{\sum_j a_{ij}\, \lVert p_i - p_j \rVert}{\sum_j a_{ij}}")
    near = layers[0]
    head = int(np.nanargmin(near.distances)) if np.isfinite(near.distances).any() else 0
    st.markdown(
        f"*i* and *j* are the $N = {patches.rows * patches.columns}$ patches, *p* their middles in pixels. Layer "
        f"{near.number}, head {head}: $\\bar d = {near.distances[head]:.1f}$ pixels; even attention: "
        f"{near.even:.1f} pixels."
    )


def _scale(call: AttentionCall) -> str:
    """The scale of the recorded call, where the call says it."""
    if call.scale is None or call.query is None:
        return ""
    return rf" \\ s = {call.scale:.4g},\quad q, k \in \mathbb{{R}}^{{{call.query.shape[-1]}}}"
