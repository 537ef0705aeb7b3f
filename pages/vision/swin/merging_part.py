"""From stage to stage: the sizes of each, and what patch merging makes of four neighbours of this photograph."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from torch import Tensor

from core.vision.window_parts import Merging
from dashboard import charts, controls, layout
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.photograph import Photograph as Given
from pages.vision.swin import compute as kept
from pages.vision.swin import words_windows as said
from pages.vision.swin.compute import Windowed
from pages.vision.swin.stages import stage_table

CORNERS = ("upper left", "lower left", "upper right", "lower right")  # in the order in which they are laid side by side
OF_STEP = {"norm": "after the norm", "linear": "after the linear map"}


@dataclass(frozen=True, eq=False)
class Merged:
    """The chosen place of a stage, and the vectors on its way there."""

    stage: int
    place: tuple[int, int]
    four: Tensor
    steps: tuple[tuple[str, Tensor], ...]


def show(given: Given, windowed: Windowed) -> Merged | None:
    """The table of stages and one merging; None if the model has but one stage."""
    with layout.waiting_place(), st.spinner("Following the merging …"):
        scored = kept.take_scores_apart(given.name, given.picture, given.resolution)
    table = stage_table(windowed, scored)
    st.dataframe(table, hide_index=True)
    if not layout.is_presented():
        charts.download_table(table, "swin-stages")
    merging = scored.parts.merging
    if not merging:
        return None
    st.markdown(said.MERGING)
    with layout.control_bar():
        names = [f"{stage - 1} → {stage}" for stage in sorted(merging)]
        if st.session_state.get("windows_merge") not in (None, *names):
            st.session_state.windows_merge = names[0]
        name = st.selectbox("Between stages", names, key="windows_merge", bind="query-params", width=150)
        stage = sorted(merging)[names.index(name)]
        layer = next(layer for layer in windowed.layers if layer.stage == stage)
        row = controls.number("Row", layer.rows, key="windows_row", first=layer.rows // 2)
        column = controls.number("Column", layer.columns, key="windows_column", first=layer.columns // 2)
    merged = _taken(merging[stage], stage, (row, column))
    _vectors(merged)
    return merged


def _taken(merging: Merging, stage: int, place: tuple[int, int]) -> Merged:
    steps = tuple((name, values[place]) for name, values in merging.steps)
    return Merged(stage, place, merging.neighbours(*place), steps)


def _vectors(merged: Merged) -> None:
    (row, column), width = merged.place, merged.four.shape[1]
    rows = []
    for number, values in enumerate(merged.four):
        across, down = divmod(number, 2)
        where = f"{2 * row + down}, {2 * column + across}"
        rows.append(Row(f"{CORNERS[number]} ({where}): {width} numbers", CORNERS[number], values.numpy()))
    rows.append(Row(f"side by side: {4 * width} numbers", "side by side", merged.four.flatten().numpy()))
    rows += [
        Row(f"{OF_STEP[name]}: {len(values)} numbers", OF_STEP[name], values.numpy()) for name, values in merged.steps
    ]
    charts.chart(
        vector_rows(rows, look=layout.look()),
        name="swin-merging",
        alt=f"The vectors of four neighbours of stage {merged.stage - 1} as strips, and what merging makes of "
        f"them: the place in row {row}, column {column} of stage {merged.stage}.",
        table=_numbers(rows),
    )


def _numbers(rows: list[Row]) -> pd.DataFrame:
    parts = [
        pd.DataFrame({"vector": row.name, "channel": np.arange(len(row.values)), "value": row.values}) for row in rows
    ]
    return pd.concat(parts, ignore_index=True)
