"""Maps: what any place of the photograph looks at within its window, and all windows stitched together."""

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import charts, export, layout
from dashboard import photograph as shared
from dashboard.components.photo_maps import photo_maps
from pages.vision.swin import compute_maps as swin_maps
from pages.vision.swin import maps_notices
from pages.vision.swin import words_maps as said
from pages.vision.swin.compute_maps import Mapped
from pages.vision.swin.figures_window_distances import window_distances
from pages.vision.swin.window_file import all_windows


def show() -> None:
    """The photograph with its maps, how far heads look, the notes."""
    given = shared.choose(shared.WINDOWED)
    with layout.waiting_place(), st.spinner("Looking …"):
        mapped = swin_maps.watch_maps(given.name, given.picture, given.resolution)
    photo_maps(mapped.scene, key="swin-maps", name="swin-maps")
    if not layout.is_presented():
        export.download_arrays(
            "All windows (NPZ)",
            lambda: all_windows(mapped.windowed),
            name=f"windows of {mapped.windowed.watched.model.title}",
            about="Every head of every window as float16, with the places on which they lie",
        )
    _distances(mapped)
    layout.notes(said.NOTES, notice=maps_notices.noticed(mapped), formula=lambda: _formula(mapped))


def _distances(mapped: Mapped) -> None:
    st.subheader(said.HOW_FAR, anchor=False)
    if not layout.is_presented():
        st.markdown(said.HOW_FAR_ABOUT, width=layout.PROSE)
    names = [f"{layer.stage}.{layer.block}" for layer in mapped.windowed.layers]
    figure = window_distances(
        names,
        [np.array([head.distance for head in heads]) for heads in mapped.heads],
        even=[heads[0].even for heads in mapped.heads],
        look=layout.look(),
        height=layout.look().high(360),
    )
    table = _table(mapped)
    ends = ", ".join(f"stage {row} {value:.0f}" for row, value in table.groupby("stage")["distance"].mean().items())
    charts.chart(
        figure,
        name="swin-distances",
        alt=f"The mean distance in pixels at which each head of each block looks; on average {ends}",
        table=table,
    )


def _table(mapped: Mapped) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "stage": layer.stage,
                "block": layer.block,
                "head": number,
                "distance": head.distance,
                "even attention": head.even,
                "share for itself": head.own,
                "share for padding": head.padding,
            }
            for layer, heads in zip(mapped.windowed.layers, mapped.heads, strict=True)
            for number, head in enumerate(heads)
        ]
    )


def _formula(mapped: Mapped) -> None:
    layer = mapped.windowed.layers[0]
    rows, columns = layer.window
    st.latex(
        r"\begin{gathered} A = \operatorname{softmax}\!\left(\tfrac{QK^\top}{\sqrt d} + B + \text{mask}\right) \\ "
        rf"Q, K \in \mathbb{{R}}^{{M^2 \times d}} \\ M^2 = {rows} \cdot {columns} = {rows * columns} \end{{gathered}}"
    )
    st.markdown(said.FORMULA.format(positions=rows * columns, tokens=layer.rows * layer.columns))
