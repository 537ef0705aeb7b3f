"""What the projection and the positions have learned: filters as pictures, and how alike places are."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch
from torch import Tensor

from core.images import Patches
from core.order.learned_positions import PatchSimilarity, evenly_spaced
from core.vision.patches import PrincipalFilters, components_for
from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.figures.pictures import picture_tiles
from dashboard.frame import layout
from dashboard.number_format import compare, signed
from dashboard.output import charts
from dashboard.output.position_kinds import ORDER_CLAUSES
from pages.vision.vision_transformer.compute import Followed
from pages.vision.vision_transformer.figures import as_pictures, maps_at_their_places
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Picture to sequence")
COLUMNS = 7  # filters in a row, four rows: 28, as in the paper's figure
MOST_TILES = 14  # small maps on a side
MOST = 0.9  # of the variance
ALIKE = 0.05  # of cosines: a smaller difference counts as none


def show_filters(filters: PrincipalFilters, shape: Sequence[int]) -> tuple[str, ...]:
    """The principal components of the filters, each with its share of the variance; what is to be noticed.

    `shape`: how many filters there are, of how many numbers each.
    """
    shares = filters.shares.tolist()
    layout.heading("What the projection looks for")
    if filters.pictures.shape[1] != 3:
        st.info(SECTION.text("Filters without colours"), icon=":material/info:")
        return tell_filters(filters.shares, shape)
    count, numbers = shape
    layout.prose(
        SECTION.text(
            "Filters of the projection", count=count, components=len(shares), numbers=numbers, variance=sum(shares)
        )
    )
    figure = partial(
        picture_tiles,
        as_pictures(filters.pictures.numpy()),
        [f"{number}: {share:.1%}" for number, share in enumerate(shares, start=1)],
        columns=COLUMNS,
        look=theme.look(),
        side=round(5.2 * theme.look().letters),  # as wide as the line above it
    )
    charts.chart(
        figure,
        name="vision-filters",
        alt=f"The first {len(shares)} principal components of the projection's filters as pictures; together they hold "
        f"{sum(shares):.0%} of the variance",
        table=partial(_of_filters, filters.pictures.flatten(1).numpy(), shares),
    )
    return tell_filters(filters.shares, shape)


def _of_filters(filters: np.ndarray, shares: Sequence[float]) -> pd.DataFrame:
    numbered = pd.DataFrame(filters, index=pd.RangeIndex(1, len(shares) + 1, name="component"))
    return numbered.reset_index().assign(share=shares)


def tell_filters(shares: Tensor, shape: Sequence[int]) -> tuple[str, ...]:
    """How many directions hold most of the variance; `shape`: how many filters there are, of how many numbers each."""
    count, numbers = shape
    if not float(shares.sum()):
        return ()
    needed = components_for(shares, MOST)
    if needed is None:
        held = f"The first {len(shares)} components hold **{float(shares.sum()):.0%}** of what tells the {count}"
        return (f"{held} filters apart.",)
    return (
        f"**{needed}** of at most {min(count - 1, numbers)} directions hold {MOST:.0%} of what tells the {count} "
        f"filters apart; the first alone holds {float(shares[0]):.0%}.",
    )


def show_positions(followed: Followed, place: tuple[int, int], *, on_click: Callable[[int, int], None]) -> None:
    """How alike the position of the followed patch is to all others; where none are added, what is done instead."""
    layout.heading("What the positions know of the square")
    way, alike, grid = (
        ORDER_CLAUSES[followed.learned.position_method],
        followed.learned.alike,
        followed.sequence.patches,
    )
    if alike is None:
        st.info(SECTION.text("Tokens without positions", way=way), icon=":material/explore_off:")
        return
    if followed.learned.position_method != "unknown":
        st.info(SECTION.text("Other positions", way=way), icon=":material/explore:")
    row, column = place
    one, every = st.columns(2, gap="large")
    with one:
        st.markdown(f"**The followed patch**: row {row}, column {column}. Click another.")
        cell_map(
            alike[row * grid.columns + column].unflatten(0, (grid.rows, grid.columns)).numpy(),
            key="sequence-positions",
            x="column",
            y="row",
            tell="row {row}, column {column}: cosine {value}",
            limits=(-1, 1),
            marked=[place],
            mark="the followed patch",
            on_click=on_click,
            alt=f"How alike the position of the patch in row {row}, column {column} is to that of every other patch",
            name="vision-positions",
            height=360,
        )
    with every:
        _every_patch(alike, grid)


def _every_patch(alike: Tensor, grid: Patches) -> None:
    down, across = evenly_spaced(grid.rows, MOST_TILES), evenly_spaced(grid.columns, MOST_TILES)
    places = (down[:, None] * grid.columns + across).flatten()
    maps = alike[places].unflatten(1, (grid.rows, grid.columns)).numpy()
    st.markdown("**All patches**: a small map for each, at its place.")
    charts.chart(
        partial(maps_at_their_places, maps, down.tolist(), across.tolist(), look=theme.look()),
        name="vision-positions-all",
        alt="For each patch a small map of how alike its position is to those of all others",
        table=partial(_of_patches, alike.numpy()),
    )


def _of_patches(alike: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(alike).rename_axis("patch").reset_index()


def tell_positions(
    grid: Patches, alike: Tensor | None, nearness: PatchSimilarity | None, place: tuple[int, int]
) -> tuple[str, ...]:
    """What the map of positions shows: the place most like the followed one, and whether near places are alike."""
    if alike is None or nearness is None or grid.rows * grid.columns < 2:
        return ()
    number = place[0] * grid.columns + place[1]
    others = alike[number].clone()
    others[number] = -torch.inf
    row, column = divmod(int(others.argmax()), grid.columns)
    nearer = {"more": "the more alike", "less": "the less alike"}.get(
        compare(nearness.touching, nearness.far, margin=ALIKE), "not the more alike"
    )
    how_near = "a neighbour" if max(abs(row - place[0]), abs(column - place[1])) == 1 else "no neighbour"
    return (
        f"The place most like row {place[0]}, column {place[1]} is row {row}, column {column}, {how_near} (cosine "
        f"{signed(float(others.max()))}). Over the whole picture, places that touch have {signed(nearness.touching)} "
        f"on average and places at least half the shorter side apart {signed(nearness.far)}: neighbours are {nearer}.",
    )
