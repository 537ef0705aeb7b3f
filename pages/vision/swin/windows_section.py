"""Windows: which places look at one another, block by block, drawn over the photograph."""

from functools import partial

import numpy as np
import streamlit as st

from core.vision.window_grid import PADDING
from core.vision.windows import WindowLayer
from dashboard import charts, controls, layout
from dashboard import photograph as shared
from dashboard.components.cell_map import cell_map
from pages.vision.swin import chosen as choices
from pages.vision.swin import compute as kept
from pages.vision.swin import merging_part, windows_formula, windows_notices
from pages.vision.swin import words_windows as said
from pages.vision.swin.chosen import Chosen, place_of
from pages.vision.swin.compute import Windowed
from pages.vision.swin.figures_window_picture import rearranged_with_padding, window_picture

KEY = "windows"
HEIGHT = 430  # pixels


def show() -> None:
    """The photograph with its windows, one window's mask, and the way from stage to stage."""
    given = shared.choose(shared.WINDOWED)
    with layout.waiting_place(), st.spinner("Finding the windows …"):
        windowed = kept.watch_windows(given.name, given.picture, given.resolution)
    with layout.control_bar():
        chosen = choices.block(windowed.layers, key=KEY)
        window = controls.number(
            "Window", len(chosen.layer.places), key=f"{KEY}_window", first=len(chosen.layer.places) - 1
        )
    _pictures(windowed, chosen, window)
    _masks(chosen, window)
    st.subheader("From stage to stage", anchor=False)
    merged = merging_part.show(given, windowed)
    call = windowed.watched.record.calls[chosen.number]
    layout.notes(
        said.NOTES,
        notice=windows_notices.about(windowed.layers, call, chosen, window, merged),
        formula=lambda: windows_formula.show(chosen.layer, window),
    )


def _pictures(windowed: Windowed, chosen: Chosen, window: int) -> None:
    layer, picture = chosen.layer, windowed.watched.given.shown
    places, regions = _grid(layer, layer.places.numpy()), _grid(layer, layer.regions.numpy())
    numbers = np.arange(len(layer.places)).repeat(layer.places.shape[1]).reshape(layer.places.shape)
    owners = _grid(layer, numbers)
    tell = _sentences(layer, places, owners, regions)
    look = partial(window_picture, look=layout.look(), chosen=window, height=HEIGHT)

    left, right = st.columns(2, gap="medium")
    real = places != PADDING
    order = places[real].argsort()
    as_it_is = (layer.rows, layer.columns)
    with left:
        st.markdown(said.AS_IT_IS)
        charts.chart(
            look(
                picture,
                owners[real][order].reshape(as_it_is),
                regions=regions[real][order].reshape(as_it_is) if layer.shifted else None,
                tell=tell[real][order].reshape(as_it_is),
            ),
            name="swin-windows",
            alt=f"The photograph with the {len(layer.places)} windows of {chosen.name}; window {window} is marked.",
            table=windows_notices.table_of_places(layer),
        )
    with right:
        st.markdown(said.AS_CUT_SHIFTED if layer.shifted else said.AS_CUT)
        charts.chart(
            look(
                rearranged_with_padding(picture, places, as_it_is),
                owners,
                regions=regions,
                tell=tell,
                numbered=True,
            ),
            name="swin-windows-cut",
            alt=f"The photograph as {chosen.name} cuts it into windows, with the regions of its mask tinted.",
        )


def _masks(chosen: Chosen, window: int) -> None:
    layer = chosen.layer
    allowed = layer.allowed.float()
    every, one = st.columns(2, gap="medium")
    with every:
        st.markdown(said.CHOOSE)
        shares = allowed.mean((1, 2)).reshape(layer.across).numpy()

        def choose(row: int, column: int) -> None:
            st.session_state[f"{KEY}_window"] = row * layer.across[1] + column

        cell_map(
            shares,
            key="windows-all",
            x="windows, side by side",
            y="windows, below one another",
            tell="window in row {row}, column {column}: {value} of its pairs may look at one another",
            limits=(0.0, 1.0),
            marked=[divmod(window, layer.across[1])],
            mark="the chosen window",
            on_click=choose,
            alt="For each window, which share of its pairs of places may look at one another.",
            name="swin-windows-all",
            height=360,
        )
    with one:
        st.markdown(said.MASK.format(window=window))
        names = [place_of(layer, number) for number in layer.places[window].tolist()]
        cell_map(
            allowed[window].numpy(),
            key="windows-mask",
            x="key (row, column)",
            y="query (row, column)",
            tell="query {row}, key {column}: {value} (1: may look, 0: may not)",
            rows=names,
            columns=names,
            limits=(0.0, 1.0),
            alt=f"The mask of window {window}: 1 where a query may look at a key, 0 where not.",
            name="swin-mask",
            height=360,
        )


def _grid(layer: WindowLayer, values: np.ndarray) -> np.ndarray:
    """Numbers of windows and positions laid out as the block cuts the grid."""
    (down, across), (high, wide) = layer.across, layer.window
    return values.reshape(down, across, high, wide).swapaxes(1, 2).reshape(down * high, across * wide)


def _sentences(layer: WindowLayer, places: np.ndarray, owners: np.ndarray, regions: np.ndarray) -> np.ndarray:
    def sentence(place: int, window: int, region: int) -> str:
        part = f", part {region} of the mask" if layer.shifted and region else ""
        where = "padding" if place == PADDING else f"row {place // layer.columns}, column {place % layer.columns}"
        return f"{where}: window {window}{part}"

    return np.frompyfunc(sentence, 3, 1)(places, owners, regions)
