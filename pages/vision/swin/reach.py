"""Reach and cost: how far information can have travelled after each block, and what that costs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.vision.window_rollout import (
    reach_by_block,
    reach_limit_by_block,
    share_needed,
    spread_by_block,
    spread_limit_by_block,
)
from dashboard import theme
from dashboard.cache.models import image_model
from dashboard.components.reach_row import Strip, Tile, reach_row
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.photograph import Photograph
from dashboard.output import charts
from dashboard.recordings.watched import WatchedImage, watch_image
from dashboard.theme import HUES
from pages.vision.swin import compute, cost
from pages.vision.swin.blocks import choose_photograph, percent
from pages.vision.swin.compute import Direction
from pages.vision.swin.prose import PAGE

SECTION = PAGE.section("Reach and cost")
DIRECTIONS: dict[str, Direction] = {"what has come here": "back", "where this patch has come": "forth"}
TELL: dict[Direction, str] = {
    "back": "{title}, after {label}: {value} of the chosen place comes from row {row}, column {column}.",
    "forth": "{title}, after {label}: {value} of the place in row {row}, column {column} is the chosen patch.",
}
NEVER: dict[Direction, str] = {
    "back": "{title}, after {label}: row {row}, column {column} cannot have reached the chosen place yet.",
    "forth": "{title}, after {label}: the chosen patch cannot have come to row {row}, column {column} yet.",
}
MEAN = "mean of all heads"
FAINTEST = 0.1  # of an even share: from there on the photograph begins to show
WITHOUT_WINDOWS = "vit-tiny-imagenet"  # learned from the same pictures
PART = 0.9  # of what arrives: how much of the picture does it take?


@dataclass(frozen=True, eq=False)
class Reached:
    """One model: for every block a map of shares, and where anything can have come from (or to) at all.

    `title` is the model's, `labels` name the blocks, `chosen` is the patch (row, column) on a grid of rows x columns.
    """

    title: str
    watched: WatchedImage
    labels: tuple[str, ...]
    shares: tuple[np.ndarray, ...]
    limits: tuple[np.ndarray, ...]
    chosen: tuple[int, int]
    grid: tuple[int, int]
    besides: str = ""  # what holds the rest of the shares: padding, or the class token

    @cached_property
    def can(self) -> tuple[float, ...]:
        """The share of the picture within reach, before and after every block."""
        return (1 / (self.grid[0] * self.grid[1]), *(float(limit.mean()) for limit in self.limits))

    @cached_property
    def does(self) -> tuple[float, ...]:
        """The share of the picture that holds PART of what arrived, before and after every block."""
        return (self.can[0], *(share_needed(torch.from_numpy(shares), PART) for shares in self.shares))


def show() -> None:
    """The place, the strips, the curves, the cost."""
    main, settings = layout.bar_with_settings()
    with main:
        photo = choose_photograph(settings)
    with layout.waiting_place():
        layers, watched = compute.watch_windows(photo).layers, photo.watched()
        calls = (*watched.record.calls, *watch_image(WITHOUT_WINDOWS, photo.picture, None).record.calls)
    grid = layers[0].rows, layers[0].columns
    with main:
        direction, head = _followed(min(call.heads for call in calls))
    with settings:
        row = controls.number("Row", grid[0], key="reach_row", first=grid[0] // 2)
        column = controls.number("Column", grid[1], key="reach_column", first=grid[1] // 2)
    with layout.waiting_place():
        windows = through_windows(photo, head, (row, column), direction)
        vit = through_all(photo, head, ((row + 0.5) / grid[0], (column + 0.5) / grid[1]), direction)
    _strips((windows, vit), direction, grid)
    layout.place_notice()
    st.subheader("How much of the picture is within reach?", anchor=False)
    _curves((windows, vit), direction)
    costs = cost.show(watched, layers[0])
    layout.notes(
        SECTION,
        notice=(*about_reach(windows, vit, direction), *cost.about_cost(costs)),
        numbers=cost.numbers_of(costs),
    )


def through_windows(photo: Photograph, head: int | None, chosen: tuple[int, int], direction: Direction) -> Reached:
    """In the chosen model with windows; `chosen` is a patch of its first grid."""
    layers, blocks, watched = compute.watch_windows(photo).layers, compute.blocks(photo, head), photo.watched()
    if direction == "back":
        shares, limits = reach_by_block(blocks, *chosen).unbind(), reach_limit_by_block(blocks, *chosen).unbind()
    else:
        shares, limits = spread_by_block(blocks, *chosen), spread_limit_by_block(blocks, *chosen)
    padded = any(layer.padded or layer.rows % 2 or layer.columns % 2 for layer in layers[:-1]) or layers[-1].padded
    return Reached(
        watched.model.title.split(",")[0],
        watched,
        tuple(f"stage {layer.stage}, block {layer.block}" + ", shifted" * layer.shifted for layer in layers),
        tuple(share.numpy() for share in shares),
        tuple(limit.numpy() for limit in limits),
        chosen,
        (layers[0].rows, layers[0].columns),
        "padding" if padded else "",
    )


def through_all(photo: Photograph, head: int | None, place: tuple[float, float], direction: Direction) -> Reached:
    """In the vision transformer that comes with the atlas, at the nearest resolution; `place` is 0 to 1 each way."""
    side = max(photo.watched().inputs.pixels.shape[-2:])
    resolution = min(image_model(WITHOUT_WINDOWS).resolutions, key=lambda size: (abs(size - side), size))
    watched = watch_image(WITHOUT_WINDOWS, photo.picture, resolution)
    patches = watched.inputs.patches
    chosen = int(place[0] * patches.rows), int(place[1] * patches.columns)
    token = len(patches.prefix) + chosen[0] * patches.columns + chosen[1]
    rolled = compute.rolled(watched, head, token, direction)
    maps = rolled[:, len(patches.prefix) :].reshape(-1, patches.rows, patches.columns)
    return Reached(
        watched.model.title.split(",")[0],
        watched,
        tuple(f"block {number}" for number in range(len(maps))),
        tuple(maps),
        tuple(np.ones(share_map.shape, dtype=bool) for share_map in maps),  # every token looks at every other
        chosen,
        (patches.rows, patches.columns),
        "the " + " and ".join(patches.prefix) + " token" if patches.prefix else "",
    )


def about_reach(windows: Reached, vit: Reached, direction: Direction) -> tuple[str, ...]:
    """What is within reach and, looking back, what really arrives."""
    count, after = len(windows.labels), next((number for number, share in enumerate(windows.can) if share == 1), None)
    reaches = "can have reached the chosen place" if direction == "back" else "can hold something of the chosen patch"
    if after is None:
        then = f"After all {count} blocks it is {percent(windows.can[-1])}: the rest stays out of reach."
    elif after <= 1:
        then = "That is the whole picture."
    else:
        then = f"The whole picture can after **{after}** of {count} blocks."
    within = (
        f"After the first block of the {windows.title}, **{percent(windows.can[1])}** of the picture {reaches}: no "
        f"more than one window. {then} In the {vit.title} it can after the first block."
    )
    return (within, *_about_arrival(windows, vit)) if direction == "back" else (within,)


def _about_arrival(windows: Reached, vit: Reached) -> tuple[str, ...]:
    arrivals, rests = [], []
    for reached in (windows, vit):
        arrived = float(reached.shares[-1].sum())
        if not arrived > 0:
            return (f"Nothing arrives from any patch in the {reached.title}.",)
        arrivals.append(
            f"in the {reached.title} **{percent(reached.does[-1])}** of the patches hold {PART:.0%} of what arrives "
            f"from patches, the chosen patch itself {percent(float(reached.shares[-1][reached.chosen]) / arrived)}"
        )
        if reached.besides and 1 - arrived > 0.0005:
            rests.append(f"{percent(1 - arrived)} of the place comes from {reached.besides} in the {reached.title}")
    is_narrower = any(reached.does[-1] < PART * reached.can[-1] for reached in (windows, vit))
    first = "Being within reach does not mean arriving. " if is_narrower else ""
    first += f"After the last block, {arrivals[0]}; {arrivals[1]}."
    return (first, f"Not all of it comes from patches: {'; '.join(rests)}.") if rests else (first,)


def _followed(count: int) -> tuple[Direction, int | None]:
    """The direction, and the head that is followed alone: one of so many as every block of both models has."""
    heads = [MEAN, *(f"head {number}" for number in range(count))]
    direction = controls.menu("Follow", list(DIRECTIONS), key="reach_follow", width=240, help=SECTION.text("Direction"))
    if st.session_state.get("reach_head") not in (None, *heads):
        st.session_state.reach_head = MEAN
    head = st.selectbox("Weights", heads, key="reach_head", bind="query-params", width=190)
    return DIRECTIONS[direction], None if head == MEAN else heads.index(head) - 1


def _strips(both: tuple[Reached, Reached], direction: Direction, grid: tuple[int, int]) -> None:
    def choose(down: float, across: float) -> None:
        st.session_state.reach_row, st.session_state.reach_column = int(down * grid[0]), int(across * grid[1])

    def strip(reached: Reached) -> Strip:
        blocks = zip(reached.labels, reached.shares, reached.limits, strict=True)
        tiles = [Tile(label, np.where(limit, shares, -1)) for label, shares, limit in blocks]
        return Strip(reached.title, reached.watched.inputs.photograph, tiles, reached.chosen, reached.grid)

    what = "how much of each patch has reached one place" if direction == "back" else "where one patch has come"
    reach_row(
        [strip(reached) for reached in both],
        key="reach-strips",
        name="reach",
        alt=f"The photograph once after each block of {both[0].title} and of {both[1].title}: {what}, row "
        f"{both[0].chosen[0]}, column {both[0].chosen[1]} of {grid[0]} x {grid[1]}",
        tell=TELL[direction],
        never=NEVER[direction],
        faintest=FAINTEST / (grid[0] * grid[1]),
        on_choose=choose,
    )


def _curves(both: tuple[Reached, Reached], direction: Direction) -> None:
    blocks = np.arange(max(len(reached.can) for reached in both))
    lines, hues, does = {}, {}, f": {PART:.0%} comes from"
    for reached, hue in zip(both, HUES, strict=False):
        for name, values in ((": can", reached.can), (does, reached.does))[: 2 if direction == "back" else 1]:
            lines[reached.title + name] = np.array([*values, *[np.nan] * (len(blocks) - len(values))])
            hues[reached.title + name] = hue
    figure = curves(
        blocks,
        lines,
        look=theme.look(),
        x="blocks",
        y="share of the picture",
        tell="%{fullData.name}, after %{x} blocks: %{y:.1%} of the picture",
        hues=hues,
        marks=True,
        y_range=(0, 1.03),
        height=theme.look().high(340),
    )
    figure.update_yaxes(tickformat=".0%")
    figure.update_xaxes(dtick=1)
    for trace in figure.data:
        if trace.name.endswith(does):
            trace.update(line={"dash": "dot"}, marker={"symbol": "circle-open"})
    charts.chart(
        figure,
        name="reach-shares",
        alt="The share of the picture within reach of one place after each block: "
        + "; ".join(f"{reached.title} {reached.can[-1]:.0%} after {len(reached.labels)} blocks" for reached in both),
        table=pd.DataFrame({"blocks": blocks, **lines}),
    )
