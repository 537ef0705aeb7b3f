"""Maps: what any place of the photograph looks at within its window, and all windows stitched together."""

import math
from functools import partial
from operator import itemgetter

import numpy as np
import pandas as pd
import streamlit as st

from core.vision.window_measures import WindowMeasures, across_edges
from core.vision.windows import WindowLayer, window_weights
from dashboard import theme
from dashboard.components.photo_maps import photo_maps
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts, export
from pages.vision.swin import compute, heads_compared
from pages.vision.swin.blocks import CONTENT, choose_photograph, counted, percent
from pages.vision.swin.compute import Compared, Mapped, Windowed
from pages.vision.swin.figures import window_distances
from pages.vision.swin.prose import PAGE

SECTION = PAGE.section("Maps")
EACH_HEAD, TWO_HEADS = "each head", "the difference of two heads"


def show() -> None:
    """The photograph with its maps, how far heads look, the notes."""
    main, settings = layout.bar_with_settings()
    with main:
        photo = choose_photograph(settings)
        view = controls.menu("Show", (EACH_HEAD, TWO_HEADS), key="maps_of", width=240)
    with layout.waiting_place():
        mapped = compute.watch_maps(photo)
    compared = heads_compared.show(photo, mapped.windowed, settings) if view == TWO_HEADS else None
    if compared is None:
        photo_maps(mapped.scene, key="swin-maps", name="swin-maps")
    layout.place_notice()
    if compared:
        first, second = compared.heads
        layout.prose(SECTION.text("Difference of two heads", first=first, second=second))
    export.download_arrays(
        "All windows (NPZ)",
        lambda: all_windows(mapped.windowed),
        name=f"windows of {mapped.windowed.watched.model.title}",
        about="Every head of every window as float16, with the places on which they lie",
    )
    _distances(mapped)
    notice = (heads_compared.about_heads_compared(compared),) if compared else ()
    layout.notes(SECTION, notice=(*notice, *about_maps(mapped)), numbers=_numbers(mapped.windowed, compared))


def about_maps(mapped: Mapped) -> tuple[str, ...]:
    """How little a place sees, what is forbidden, what heads make of it, and what goes to padding."""
    layers = mapped.windowed.layers
    every = [
        (head, f"head {number} of stage {layer.stage}, block {layer.block}")
        for layer, heads in zip(layers, mapped.heads, strict=True)
        for number, head in enumerate(heads)
    ]
    padded = sum(layer.padded > 0 for layer in layers)
    return (
        _about_sight(layers[0], layers[-1]),
        _about_mask(next((layer for layer in layers if layer.shifted), None)),
        about_heads(every),
        *((_about_padding(every, padded, len(layers)),) if padded else ()),
    )


def _about_sight(first: WindowLayer, last: WindowLayer) -> str:
    (visible, places), (final, all_final) = _sight(first), _sight(last)
    return (
        f"In stage {first.stage} the picture has {counted(len(first.places), 'window')}: a place looks at no more than "
        f"**{visible} of {places:,}** places, {percent(visible / places)} of the picture. In stage {last.stage} a "
        f"window covers no more than {percent(final / all_final)} of it."
    )


def _sight(layer: WindowLayer) -> tuple[int, int]:
    """How many places a window holds at most, and how many there are."""
    places = layer.rows * layer.columns
    return min(math.prod(layer.window), places), places


def _about_mask(layer: WindowLayer | None) -> str:
    """Of the first shifted block, if there is one."""
    if layer is None:
        return "No block of this model shifts its windows on this picture."
    across = across_edges(layer)
    mixed, pairs = int(across.any(dim=(1, 2)).sum()), int(across.sum())
    sentence = (
        f"Block {layer.block} of stage {layer.stage} is shifted by {counted(layer.shift[0], 'row')} and "
        f"{counted(layer.shift[1], 'column')}. What is pushed out at the top and at the left comes in again at the "
        f"bottom and at the right, so that **{mixed} of {len(layer.places)}** windows hold places from opposite edges."
    )
    if not pairs:
        return sentence
    if missed := int((across & layer.allowed).sum()):
        return (
            f"{sentence} The mask should keep them apart, but **{missed:,} of {pairs:,}** such pairs may look at one "
            "another: this model pads its grid to whole windows only after the shift, and its mask is cut for the "
            "padded grid."
        )
    return (
        f"{sentence} They may not look at one another: the mask forbids all {pairs:,} such pairs, and a map there ends "
        "where its part of the window ends."
    )


def about_heads(every: list[tuple[WindowMeasures, str]]) -> str:
    """Which of some heads, each with its name, keeps most for itself, and which look nearest and farthest."""
    alone, name = max(every, key=lambda pair: pair[0].own)
    sentence = f"{name.capitalize()} keeps most for itself: a place gives on average {percent(alone.own)} to itself."
    ratios = [(head.distance / head.even, head, name) for head, name in every if head.even > 0]
    first = itemgetter(0)
    nearest, farthest = min(ratios, key=first, default=None), max(ratios, key=first, default=None)
    if nearest is None or farthest is None:
        return sentence
    if farthest[0] - nearest[0] < 0.005:
        return f"{sentence} Beside even attention in the same windows, all heads look equally far."
    (_, near, near_name), (_, far, far_name) = nearest, farthest
    return (
        f"{sentence} Beside even attention in the same windows, {near_name} looks nearest ({near.distance:.0f} pixels "
        f"instead of {near.even:.0f}), {far_name} farthest ({far.distance:.0f} instead of {far.even:.0f})."
    )


def _about_padding(every: list[tuple[WindowMeasures, str]], padded: int, blocks: int) -> str:
    most, name = max(every, key=lambda pair: pair[0].padding)
    return (
        f"The grid is not everywhere a multiple of the window, so {padded} of {blocks} blocks pad it with zeros, which "
        f"are looked at like anything else: {name} gives most to padding, on average {percent(most.padding)}."
    )


def all_windows(windowed: Windowed) -> bytes:
    """The bytes of an NPZ file; for every layer n, counted from 0 at the input:

    `weights_n` (head, window, query, key) float16; `places_n` (window, position), the place of each position on the
    grid, row * columns + column, or -1 for padding; `regions_n` (window, position), what a query may look at: the
    positions of its own region; `grid_n` (rows, columns); `path_n`, the module. So a map is stitched by
    `grid.flat[places[window]] = weights[head, window, query]`, without the positions that are -1.
    """
    arrays: dict[str, np.ndarray] = {}
    for number, (layer, call) in enumerate(zip(windowed.layers, windowed.watched.record.calls, strict=True)):
        heads = [window_weights(call, head).numpy() for head in range(call.heads)]
        arrays[f"weights_{number}"] = np.stack(heads).astype(np.float16)
        arrays[f"places_{number}"] = layer.places.numpy().astype(np.int32)
        arrays[f"regions_{number}"] = layer.regions.numpy().astype(np.int32)
        arrays[f"grid_{number}"] = np.array([layer.rows, layer.columns], dtype=np.int32)
        arrays[f"path_{number}"] = np.array(layer.path)
    return export.npz(arrays)


def _distances(mapped: Mapped) -> None:
    st.subheader("How far does each head look?", anchor=False)
    layout.prose(SECTION.text("Attention distance"))
    figure = partial(
        window_distances,
        [f"{layer.stage}.{layer.block}" for layer in mapped.windowed.layers],
        [np.array([head.distance for head in heads]) for heads in mapped.heads],
        even=[heads[0].even for heads in mapped.heads],
        look=theme.look(),
        height=theme.look().high(360),
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


def _numbers(windowed: Windowed, compared: Compared | None) -> dict[str, object]:
    """Attention within a window of the first block, and the difference of two heads if they are compared."""
    layer, (rows, columns) = windowed.layers[0], windowed.layers[0].window
    return {
        "difference": heads_compared.formula(compared) if compared else "",
        "content": CONTENT[windowed.by_cosine],
        "rows": rows,
        "columns": columns,
        "positions": rows * columns,
        "tokens": layer.rows * layer.columns,
    }
