"""Reach and cost: how far information can have travelled after each block, and what that costs."""

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import charts, controls, layout
from dashboard import photograph as shared
from dashboard.components.reach_row import Strip, Tile, reach_row
from dashboard.figures.curves import curves
from dashboard.photograph import Photograph as Given
from dashboard.theme import HUES
from pages.vision.swin import cost_part, reach_formula, reach_notices
from pages.vision.swin import words_reach as said
from pages.vision.swin.compute import watch_windows
from pages.vision.swin.compute_reach import Direction
from pages.vision.swin.reaching import PART, Reached, shared_heads, through_all, through_windows

DIRECTIONS: dict[str, Direction] = {"what has reached this place": "back", "where this patch has come": "forth"}
MEAN = "mean of all heads"
FAINTEST = 0.1  # of an even share: from there on the photograph begins to show


def show() -> None:
    """The place, the strips, the curves, the cost."""
    given = shared.choose(shared.WINDOWED)
    with layout.waiting_place(), st.spinner("Following the windows …"):
        layers = watch_windows(given.name, given.picture, given.resolution).layers
    grid = layers[0].rows, layers[0].columns
    with layout.control_bar():
        direction, head = _followed(given)
        row = controls.number("Row", grid[0], key="reach_row", first=grid[0] // 2)
        column = controls.number("Column", grid[1], key="reach_column", first=grid[1] // 2)
    chosen = row, column
    with layout.waiting_place(), st.spinner("Following every block …"):
        place = (chosen[0] + 0.5) / grid[0], (chosen[1] + 0.5) / grid[1]
        both = through_windows(given, head, chosen, direction), through_all(given, head, place, direction)
    _strips(both, direction, grid)
    st.subheader("How much of the picture is within reach?", anchor=False)
    _curves(both, direction)
    costs = cost_part.show(given.watched(), layers[0])
    layout.notes(
        said.NOTES,
        notice=(*reach_notices.about_reach(*both, direction), *reach_notices.about_cost(costs)),
        formula=lambda: reach_formula.show(costs),
    )


def _followed(given: Given) -> tuple[Direction, int | None]:
    heads = [MEAN, *(f"head {number}" for number in range(shared_heads(given)))]
    direction = st.segmented_control(
        "Follow",
        list(DIRECTIONS),
        default=next(iter(DIRECTIONS)),
        key="reach_follow",
        bind="query-params",
        required=True,
        help=said.BACK_HELP,
    )
    if st.session_state.get("reach_head") not in (None, *heads):
        st.session_state.reach_head = MEAN
    head = st.selectbox("Weights", heads, key="reach_head", bind="query-params", width=190)
    return DIRECTIONS[direction], None if head == MEAN else heads.index(head) - 1


def _strips(both: tuple[Reached, ...], direction: Direction, grid: tuple[int, int]) -> None:
    def choose(down: float, across: float) -> None:
        st.session_state.reach_row, st.session_state.reach_column = int(down * grid[0]), int(across * grid[1])

    what = "how much of each patch has reached one place" if direction == "back" else "where one patch has come"
    reach_row(
        [
            Strip(
                each.title,
                each.watched.given.shown,
                [
                    Tile(label, np.where(limit, shares, -1))
                    for label, shares, limit in zip(each.labels, each.shares, each.limits, strict=True)
                ],
                each.chosen,
                each.grid,
            )
            for each in both
        ],
        key="reach-strips",
        name="reach",
        alt=f"The photograph once after each block of {both[0].title} and of {both[1].title}: {what}, row "
        f"{both[0].chosen[0]}, column {both[0].chosen[1]} of {grid[0]} x {grid[1]}",
        tell=said.TELL[direction],
        never=said.NEVER[direction],
        faintest=FAINTEST / (grid[0] * grid[1]),
        on_choose=choose,
    )


def _curves(both: tuple[Reached, ...], direction: Direction) -> None:
    longest = max(len(each.can) for each in both)
    lines, hues = {}, {}
    for each, hue in zip(both, HUES, strict=False):
        lines[f"{each.title}: can"] = _filled(each.can, longest)
        hues[f"{each.title}: can"] = hue
        if direction == "back":
            lines[f"{each.title}: {PART:.0%} comes from"] = _filled(each.does, longest)
            hues[f"{each.title}: {PART:.0%} comes from"] = hue
    figure = curves(
        np.arange(longest),
        lines,
        look=layout.look(),
        x="blocks",
        y="share of the picture",
        tell="%{fullData.name}, after %{x} blocks: %{y:.1%} of the picture",
        hues=hues,
        marks=True,
        y_range=(0, 1.03),
        height=layout.look().high(340),
    )
    figure.update_yaxes(tickformat=".0%")
    figure.update_xaxes(dtick=1)
    for trace in figure.data:
        if trace.name.endswith("from"):
            trace.update(line={"dash": "dot"}, marker={"symbol": "circle-open"})
    charts.chart(
        figure,
        name="reach-shares",
        alt="The share of the picture within reach of one place after each block: "
        + "; ".join(f"{each.title} {each.can[-1]:.0%} after {len(each.labels)} blocks" for each in both),
        table=pd.DataFrame({"blocks": np.arange(longest), **lines}),
    )


def _filled(values: tuple[float, ...], length: int) -> np.ndarray:
    return np.array([*values, *[np.nan] * (length - len(values))])
