"""What to notice in the windows of a block, computed from what is shown."""

from collections.abc import Sequence

import pandas as pd

from core.capture import AttentionCall
from core.vision.window_grid import PADDING
from core.vision.windows import WindowLayer, window_weights
from pages.vision.swin.chosen import Chosen
from pages.vision.swin.merging_part import Merged


def about(
    layers: Sequence[WindowLayer], call: AttentionCall, chosen: Chosen, window: int, merged: Merged | None
) -> tuple[str, ...]:
    """Sentences on the reach of a place, the shift, padding and merging."""
    layer = chosen.layer
    found = [_about_reach(layer), _about_shift(layers, chosen, window)]
    if layer.padded:
        found.append(_about_padding(call, layer))
    if merged:
        found.append(_about_merging(layers, merged))
    return tuple(found)


def table_of_places(layer: WindowLayer) -> pd.DataFrame:
    """Where each place of the grid lies: window, position, and part of the mask; padding has row and column −1."""
    windows, positions = layer.places.shape
    places = layer.places.flatten()
    real = places != PADDING
    return pd.DataFrame(
        {
            "window": [window for window in range(windows) for _ in range(positions)],
            "position": list(range(positions)) * windows,
            "row": places.div(layer.columns, rounding_mode="floor").where(real, PADDING).tolist(),
            "column": (places % layer.columns).where(real, PADDING).tolist(),
            "part": layer.regions.flatten().tolist(),
        }
    )


def _about_reach(layer: WindowLayer) -> str:
    inside, whole = layer.window[0] * layer.window[1], layer.rows * layer.columns
    if len(layer.places) == 1:
        return f"One window fills the whole grid of {layer.rows} × {layer.columns} places: in it everybody may meet."
    return (
        f"A place looks at most at the **{inside}** of its own window: {min(1.0, inside / whole):.1%} of the "
        f"{whole:,} places. Twice as many pixels on a side make four times as many windows, none of them larger."
    )


def _about_shift(layers: Sequence[WindowLayer], chosen: Chosen, window: int) -> str:
    layer = chosen.layer
    if not layer.shifted:
        after = next((each for each in layers[chosen.number + 1 :] if each.stage == layer.stage), None)
        if after is None or not after.shifted:
            return (
                f"This is {chosen.name}: its windows lie where the grid begins, and no block of the stage moves them."
            )
        return (
            f"This is {chosen.name}: its windows lie where the grid begins. The next block moves them by "
            f"{after.shift[0]} rows and {after.shift[1]} columns, so that their borders fall inside of others."
        )
    parts = len(layer.regions[window].unique())
    shared = layer.allowed[window].float().mean().item()
    moved = f"All windows are moved by **{layer.shift[0]} rows and {layer.shift[1]} columns**. "
    if parts == 1:
        return moved + f"Window {window} holds one part of the picture: everybody in it may look at everybody."
    return moved + (
        f"Window {window} holds **{parts} parts** that were not neighbours before the shift, and the mask keeps them "
        f"apart: {shared:.0%} of its pairs are left."
    )


def _about_padding(call: AttentionCall, layer: WindowLayer) -> str:
    """How much weight goes to padding, over the queries that are places of the picture."""
    real = layer.places != PADDING
    drawn = sum((window_weights(call, head) * ~real[:, None]).sum(-1)[real].mean().item() for head in range(call.heads))
    return (
        f"The grid of {layer.rows} × {layer.columns} does not fill whole windows: **{layer.padded:,} of "
        f"{layer.places.numel():,} positions are padding**. No mask hides it: on this photograph it draws "
        f"{drawn / call.heads:.1%} of the weight of this block, in the mean over its heads."
    )


def _about_merging(layers: Sequence[WindowLayer], merged: Merged) -> str:
    first = next(layer for layer in layers if layer.stage == merged.stage)
    before = next(layer for layer in layers if layer.stage == merged.stage - 1)
    outgoing, width = len(merged.steps[-1][1]), merged.four.shape[1]
    kept = first.rows * first.columns * outgoing / (before.rows * before.columns * width)
    return (
        f"Merging turns {before.rows} × {before.columns} places of {width} numbers into {first.rows} × {first.columns} "
        f"places of {outgoing}: **{kept:.0%}** of the numbers are left, on a quarter of the places."
    )
