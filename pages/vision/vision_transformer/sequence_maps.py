"""What the projection and the positions have learned: filters as pictures, and how alike places are."""

import pandas as pd
import streamlit as st

from core.order.learned_positions import evenly
from dashboard import charts, layout
from dashboard.components.cell_map import cell_map
from dashboard.figures.heat import heat
from dashboard.figures.mosaic import tiles
from dashboard.ways_of_order import WAY_TOLD as INSTEAD
from pages.vision.vision_transformer import words_sequence as said
from pages.vision.vision_transformer.compute_sequence import Followed
from pages.vision.vision_transformer.figures_picture_tiles import as_pictures, picture_tiles
from pages.vision.vision_transformer.sequence_patch import Place, choose

COLUMNS = 7  # filters in a row, four rows: 28, as in the paper's figure
MOST_TILES = 14  # small maps on a side


def show_filters(followed: Followed) -> None:
    """The principal components of the filters, each with its share of the variance."""
    found = followed.filters
    st.subheader("What the projection looks for", anchor=False)
    if found.pictures.shape[1] != 3:
        st.info(said.NO_COLOURS, icon=":material/info:")
        return
    if not layout.is_presented():
        st.markdown(
            said.FILTERS.format(
                count=followed.sequence.projection.weight.shape[0], shown=len(found.shares), numbers=_numbers(followed)
            ),
            width=layout.PROSE,
        )
    shares = found.shares.tolist()
    figure = picture_tiles(
        as_pictures(found.pictures.numpy()),
        [f"{number}: {share:.1%}" for number, share in enumerate(shares, start=1)],
        columns=COLUMNS,
        look=layout.look(),
        side=round(5.2 * layout.look().letters),  # as wide as the line above it
    )
    charts.chart(
        figure,
        name="vision-filters",
        alt=f"The first {len(shares)} principal components of the projection's filters as pictures; together they hold "
        f"{sum(shares):.0%} of the variance",
        table=pd.DataFrame(found.pictures.flatten(1).numpy(), index=pd.RangeIndex(1, len(shares) + 1, name="component"))
        .reset_index()
        .assign(share=shares),
    )


def _numbers(followed: Followed) -> int:
    return followed.sequence.flattened.shape[1]


def show_positions(followed: Followed, place: Place) -> None:
    """How alike the position of the followed patch is to all others; where none are added, what is done instead."""
    st.subheader("What the positions know of the square", anchor=False)
    if followed.alike is None:
        st.info(said.NO_POSITIONS.format(instead=INSTEAD[followed.other_way]), icon=":material/explore_off:")
        return
    if followed.other_way == "rotary":
        st.info(said.ROTARY_TOO, icon=":material/explore:")
    grid = followed.sequence.patches
    row, column = place
    alike = followed.alike
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
            on_click=choose,
            alt=f"How alike the position of the patch in row {row}, column {column} is to that of every other patch",
            name="vision-positions",
            height=360,
        )
    with every:
        _every_patch(followed)


def _every_patch(followed: Followed) -> None:
    grid, alike = followed.sequence.patches, followed.alike
    assert alike is not None
    down, across = evenly(grid.rows, MOST_TILES).numpy(), evenly(grid.columns, MOST_TILES).numpy()
    places = (down[:, None] * grid.columns + across).ravel()
    maps = alike.numpy()[places].reshape(-1, grid.rows, grid.columns)
    figure = heat(
        tiles(maps, len(down), len(across)),
        look=layout.look(),
        x="column of the patch",
        y="row of the patch",
        limits=(-1, 1),
        tell="%{z:.2f}",
        height=400,
    )
    figure.update_xaxes(tickvals=_middles(len(across), grid.columns), ticktext=[str(each) for each in across])
    figure.update_yaxes(
        tickvals=_middles(len(down), grid.rows),
        ticktext=[str(each) for each in down],
        scaleanchor="x",
        constrain="domain",
    )
    figure.update_xaxes(constrain="domain")
    figure.update_traces(xgap=0, ygap=0, showscale=False)
    st.markdown("**All patches**: a small map for each, at its place.")
    charts.chart(
        figure,
        name="vision-positions-all",
        alt="For each patch a small map of how alike its position is to those of all others",
        table=pd.DataFrame(alike.numpy()).rename_axis("patch").reset_index(),
    )


def _middles(count: int, side: int) -> list[float]:
    return [number * (side + 1) + (side - 1) / 2 for number in range(count)]
