"""From stage to stage: the sizes of each, and what patch merging makes of four neighbours of this photograph."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.vision.window_parts import Merging
from core.vision.windows import WindowLayer
from dashboard import theme
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.photograph import Photograph
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.vision.swin import compute
from pages.vision.swin.compute import Scored, Windowed
from pages.vision.swin.prose import PAGE

CORNERS = ("upper left", "lower left", "upper right", "lower right")  # in the order in which they are laid side by side
OF_STEP = {"norm": "after the norm", "linear": "after the linear map"}


def show(photograph: Photograph, windowed: Windowed) -> tuple[str, ...]:
    """The table of stages and one merging; what to notice in it, which is nothing if the model has but one stage."""
    with layout.waiting_place():
        scored = compute.take_scores_apart(photograph)
    table = stage_table(windowed, scored)
    data_table(table, hide_index=True)
    charts.download_table(table, "swin-stages")
    if not scored.parts.merging:
        return ()
    st.markdown(PAGE.section("Windows").text("Patch merging"))
    stages = {f"{stage - 1} → {stage}": stage for stage in sorted(scored.parts.merging)}
    with layout.control_bar():
        if st.session_state.get("windows_merge") not in (None, *stages):
            st.session_state.windows_merge = next(iter(stages))
        stage = stages[st.selectbox("Between stages", stages, key="windows_merge", bind="query-params", width=150)]
        before, after = (next(layer for layer in windowed.layers if layer.stage == at) for at in (stage - 1, stage))
        row = controls.number("Row", after.rows, key="windows_row", first=after.rows // 2)
        column = controls.number("Column", after.columns, key="windows_column", first=after.columns // 2)
    _vectors(scored.parts.merging[stage], before, row, column)
    return (about_merging(before, after, scored.parts.widths[stage - 1], scored.parts.widths[stage]),)


def about_merging(before: WindowLayer, after: WindowLayer, width: int, outgoing: int) -> str:
    """How many numbers and places are left between two stages with places of so many numbers."""
    places = after.rows * after.columns / (before.rows * before.columns)
    return (
        f"Merging turns {before.rows} × {before.columns} places of {width} numbers into {after.rows} × {after.columns} "
        f"places of {outgoing}: **{places * outgoing / width:.0%}** of the numbers are left, on {places:.0%} of the "
        "places."
    )


def stage_table(windowed: Windowed, scored: Scored) -> pd.DataFrame:
    """Grid, windows, heads and widths of each stage, as they are on this picture."""
    return pd.DataFrame([_row(stage, windowed, scored) for stage in sorted({layer.stage for layer in windowed.layers})])


def _row(stage: int, windowed: Windowed, scored: Scored) -> dict[str, object]:
    numbers = [number for number, layer in enumerate(windowed.layers) if layer.stage == stage]
    layers, widths = [windowed.layers[number] for number in numbers], scored.parts.widths
    layer, shift = layers[0], max(layer.shift for layer in layers)
    return {
        "stage": stage,
        "grid": _times(layer.rows, layer.columns),
        "pixels of a place": _times(*windowed.pixels_of(layer)),
        "merging before": f"2 × 2 places: {widths[stage - 1]:,} → {widths[stage]:,}" if layer.merging > 1 else "none",
        "width": widths[stage],
        "blocks": len(layers),
        "heads": windowed.watched.record.calls[numbers[0]].heads,
        "window": _times(*layer.window),
        "shift in odd blocks": _times(*shift) if any(shift) else "none",
        "windows": len(layer.places),
        "padded positions": layer.padded,
    }


def _times(*sides: int) -> str:
    return " × ".join(f"{side:,}" for side in sides)


def _vectors(merging: Merging, before: WindowLayer, row: int, column: int) -> None:
    four, rows = merging.neighbours(row, column), []
    for number, values in enumerate(four):
        down, across = 2 * row + number % 2, 2 * column + number // 2
        where = f"{down}, {across}" if down < before.rows and across < before.columns else "padding"
        rows.append((CORNERS[number], f" ({where})", values))
    rows.append(("side by side", "", four.flatten()))
    rows += [(OF_STEP[name], "", values[row, column]) for name, values in merging.steps]
    numbers = [
        pd.DataFrame({"vector": name, "channel": np.arange(len(values)), "value": values.numpy()})
        for name, _, values in rows
    ]
    charts.chart(
        partial(
            vector_rows,
            [Row(f"{name}{where}: {len(values)} numbers", name, values.numpy()) for name, where, values in rows],
            look=theme.look(),
        ),
        name="swin-merging",
        alt=f"The vectors of four neighbours of stage {before.stage} as strips, and what merging makes of them: the "
        f"place in row {row}, column {column} of stage {before.stage + 1}.",
        table=pd.concat(numbers, ignore_index=True),
    )
