"""Windows: which places look at one another, block by block, drawn over the photograph."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.capture import AttentionCall
from core.heads.measures import shares
from core.vision.window_grid import PADDING
from core.vision.windows import WindowLayer, window_weights
from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from pages.vision.swin import compute, merging
from pages.vision.swin.blocks import CONTENT, choose_block, choose_photograph, counted, name_of, place_of
from pages.vision.swin.figures import rearranged_with_padding, window_picture
from pages.vision.swin.prose import PAGE

SECTION = PAGE.section("Windows")
KEY = "windows"
HEIGHT = 430  # pixels


def show() -> None:
    """The photograph with its windows, one window's mask, and the way from stage to stage."""
    main, settings = layout.bar_with_settings()
    with main:
        photo = choose_photograph(settings)
    with layout.waiting_place():
        windowed = compute.watch_windows(photo)
    with main:
        block = choose_block(windowed.layers, key=KEY)
        layer, call = windowed.layers[block], windowed.watched.record.calls[block]
        last = len(layer.places) - 1
        window = controls.number("Window", len(layer.places), key=f"{KEY}_window", first=last)
    _pictures(windowed.watched.inputs.photograph, layer, window)
    layout.place_notice()
    _masks(layer, window)
    st.subheader("From stage to stage", anchor=False)
    merged = merging.show(photo, windowed)
    layout.notes(
        SECTION,
        notice=(*about_windows(windowed.layers, block, call, window), *merged),
        numbers=_numbers(layer, window, by_cosine=windowed.by_cosine),
    )


def about_windows(layers: Sequence[WindowLayer], block: int, call: AttentionCall, window: int) -> tuple[str, ...]:
    """Sentences on what a place sees, on the shift, and on padding, of one block and one of its windows."""
    padding = (_about_padding(call, layers[block]),) if layers[block].padded else ()
    return _about_sight(layers[block]), _about_shift(layers, block, window), *padding


def table_of_places(layer: WindowLayer) -> pd.DataFrame:
    """Where each place of the grid lies: window, position, and part of the mask; padding has row and column −1."""
    places = layer.places.numpy().ravel()
    window, position = np.indices(layer.places.shape).reshape(2, -1)
    row, column = np.where(places == PADDING, PADDING, np.divmod(places, layer.columns))
    part = layer.regions.numpy().ravel()
    return pd.DataFrame({"window": window, "position": position, "row": row, "column": column, "part": part})


def _about_sight(layer: WindowLayer) -> str:
    (high, wide), places = layer.window, layer.rows * layer.columns
    if len(layer.places) == 1:
        return f"One window fills the whole grid of {layer.rows} × {layer.columns} places."
    more = math.ceil(2 * layer.rows / high) * math.ceil(2 * layer.columns / wide)
    return (
        f"A place attends to at most **{min(high * wide, places)}** places, those of its window: "
        f"{min(1.0, high * wide / places):.1%} of all {places:,}. Twice as many places on a side would make {more} "
        f"windows instead of {len(layer.places)}, and none of them larger."
    )


def _about_shift(layers: Sequence[WindowLayer], block: int, window: int) -> str:
    layer = layers[block]
    if not layer.shifted:
        first = f"This is {name_of(layer)}: its windows start at the edge of the grid"
        after = [other for other in layers[block + 1 : block + 2] if other.stage == layer.stage and other.shifted]
        if after:
            return f"{first}. The next block moves them by {_shift(after[0])}: their borders fall inside of others."
        if any(other.shifted for other in layers if other.stage == layer.stage):
            return f"{first}."
        return f"{first}, and no block of the stage moves them."
    parts = len(layer.regions[window].unique())
    moved = f"All windows are moved by **{_shift(layer)}**. "
    if parts == 1:
        return f"{moved}The mask leaves all pairs of window {window}: each of its places may look at every other."
    return (
        f"{moved}Window {window} holds **{parts} parts** that the mask keeps apart: "
        f"{layer.allowed[window].float().mean().item():.0%} of its pairs are left."
    )


def _shift(layer: WindowLayer) -> str:
    return f"{counted(layer.shift[0], 'row')} and {counted(layer.shift[1], 'column')}"


def _about_padding(call: AttentionCall, layer: WindowLayer) -> str:
    """How much weight goes to padding, over the queries that are places of the picture."""
    real = layer.places != PADDING
    drawn = sum(
        (shares(window_weights(call, head)) * ~real[:, None]).sum(-1)[real].mean().item() for head in range(call.heads)
    )
    return (
        f"The grid of {layer.rows} × {layer.columns} does not fill whole windows: **{layer.padded:,} of "
        f"{layer.places.numel():,} positions are padding**. They are keys like any other: on this photograph they take "
        f"{drawn / call.heads:.1%} of the weight of this block, in the mean over its heads."
    )


def _pictures(picture: np.ndarray, layer: WindowLayer, window: int) -> None:
    places, regions = _as_cut(layer, layer.places.numpy()), _as_cut(layer, layer.regions.numpy())
    owners = _as_cut(layer, np.arange(len(layer.places)).repeat(layer.places.shape[1]))
    tell = np.frompyfunc(partial(_hover_text, layer), 3, 1)(places, owners, regions)
    both: dict[str, Any] = {"look": theme.look(), "chosen": window, "height": HEIGHT}
    order, as_it_is = places[places != PADDING].argsort(), (layer.rows, layer.columns)

    def on_picture(values: np.ndarray) -> np.ndarray:
        return values[places != PADDING][order].reshape(as_it_is)

    left, right = st.columns(2, gap="medium")
    with left:
        charts.chart(
            partial(
                window_picture,
                picture,
                on_picture(owners),
                regions=on_picture(regions) if layer.shifted else None,
                tell=on_picture(tell),
                **both,
            ),
            name="swin-windows",
            alt=f"The photograph with the {len(layer.places)} windows of {name_of(layer)}; window {window} is marked.",
            table=table_of_places(layer),
        )
        layout.caption(SECTION.text("Windows on the photograph"))
    with right:
        rearranged = rearranged_with_padding(picture, places, as_it_is)
        charts.chart(
            partial(window_picture, rearranged, owners, regions=regions, tell=tell, numbered=True, **both),
            name="swin-windows-cut",
            alt=f"The photograph as {name_of(layer)} cuts it into windows, with the regions of its mask tinted.",
        )
        layout.caption(SECTION.text("Shifted windows" if layer.shifted else "Windows without a shift"))


def _as_cut(layer: WindowLayer, values: np.ndarray) -> np.ndarray:
    """Numbers of windows and positions laid out as the block cuts the grid."""
    (down, across), (high, wide) = layer.windows_per_axis, layer.window
    return values.reshape(down, across, high, wide).swapaxes(1, 2).reshape(down * high, across * wide)


def _hover_text(layer: WindowLayer, place: int, window: int, region: int) -> str:
    where = "padding" if place == PADDING else f"row {place // layer.columns}, column {place % layer.columns}"
    return f"{where}: window {window}" + (f", part {region} of the mask" if layer.shifted and region else "")


def _masks(layer: WindowLayer, window: int) -> None:
    allowed = layer.allowed.float()
    every, one = st.columns(2, gap="medium")
    with every:
        st.markdown(SECTION.text("Allowed pairs"))

        def choose(row: int, column: int) -> None:
            st.session_state[f"{KEY}_window"] = row * layer.windows_per_axis[1] + column

        cell_map(
            allowed.mean((1, 2)).reshape(layer.windows_per_axis).numpy(),
            key="windows-all",
            x="windows, side by side",
            y="windows, below one another",
            tell="window in row {row}, column {column}: {value} of its pairs may look at one another",
            limits=(0.0, 1.0),
            marked=[divmod(window, layer.windows_per_axis[1])],
            mark="the chosen window",
            on_click=choose,
            alt="For each window, which share of its pairs of places may look at one another.",
            name="swin-windows-all",
            height=360,
        )
    with one:
        st.markdown(SECTION.text("Mask of a window", window=window))
        names = [place_of(layer, place) for place in layer.places[window].tolist()]
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


def _numbers(layer: WindowLayer, window: int, *, by_cosine: bool) -> dict[str, object]:
    """Attention within a window; how many windows there are; what the mask leaves of the chosen one."""
    (high, wide), (down, across) = layer.window, layer.windows_per_axis
    pairs, mask = layer.allowed[window], ""
    if layer.shifted:
        mask = SECTION.text(
            "Pairs that the mask leaves",
            window=window,
            allowed=int(pairs.sum()),
            positions=high * wide,
            pairs=pairs.numel(),
        )
    return {
        "content": CONTENT[by_cosine],
        "rows": layer.rows,
        "columns": layer.columns,
        "high": high,
        "wide": wide,
        "down": down,
        "across": across,
        "windows": down * across,
        "mask": mask,
    }
