"""The stages of a model with windows, one row each."""

import pandas as pd

from core.vision.windows import WindowLayer
from pages.vision.swin.compute import Scored, Windowed


def stage_table(windowed: Windowed, scored: Scored) -> pd.DataFrame:
    """Grid, windows, heads and widths, as they are on this picture."""
    return pd.DataFrame([_row(stage, windowed, scored) for stage in sorted({each.stage for each in windowed.layers})])


def _row(stage: int, windowed: Windowed, scored: Scored) -> dict[str, object]:
    numbers = [number for number, layer in enumerate(windowed.layers) if layer.stage == stage]
    layers = [windowed.layers[number] for number in numbers]
    layer, pixels = layers[0], windowed.watched.given.pixels.shape[2:]
    width = scored.parts.widths[stage]
    return {
        "stage": stage,
        "grid": times(layer.rows, layer.columns),
        "pixels of a place": times(*(round(side / count) for side, count in zip(pixels, _grid(layer), strict=True))),
        "merging before": f"2 × 2 places: {scored.parts.widths[stage - 1]:,} → {width:,}"
        if layer.merging > 1
        else "none",
        "width": width,
        "blocks": len(layers),
        "heads": windowed.watched.record.calls[numbers[0]].heads,
        "window": times(*layer.window),
        "shift in odd blocks": times(*shift) if any(shift := layers[-1].shift) else "none",
        "windows": len(layer.places),
        "padded positions": layer.padded,
    }


def times(*sides: int) -> str:
    """Rows and columns as a table writes them."""
    return " × ".join(f"{side:,}" for side in sides)


def _grid(layer: WindowLayer) -> tuple[int, int]:
    return layer.rows, layer.columns
