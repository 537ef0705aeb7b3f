"""Learned positions: what a model made of its places, when nobody told it how they lie."""

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from torch import nn

from core.order.learned_positions import (
    PositionTable,
    evenly_spaced,
    find_tables,
    mean_by_distance,
    patch_similarity,
    position_method,
    rotary_base,
    similarity,
)
from dashboard import theme, typeset
from dashboard.cache.models import image_model, text_model
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from dashboard.figures.heat import heat
from dashboard.figures.mosaic import tiles
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.number_format import signed
from dashboard.output import charts
from dashboard.output.comparisons import join_names, leading
from dashboard.output.position_kinds import ORDER_CLAUSES
from pages.foundations.order import order_controls as choose
from pages.foundations.order.prose import PAGE

SECTION = PAGE.section("Learned")
TEXT, IMAGE = "A text model", "An image model"
MOST_POSITIONS = 256  # rows of a similarity map that are shown
MORE = "more alike"
APART = 0.02  # of a cosine: means that differ by less are told as alike
MOST_TILES = 14  # small maps on a side


def show() -> None:
    """How alike the position vectors of a model are, as a map; of patches, one map for each."""
    layout.prose(SECTION.text("Lead"))
    with layout.control_bar():
        kind = controls.choice("Learned by", [TEXT, IMAGE], key="learner")
        name = model_name.model("text" if kind == TEXT else "image")
        tables_bar = st.container(width="content")
    with layout.waiting_place():
        network = (text_model(name) if kind == TEXT else image_model(name)).network
    tables = find_tables(network, pictures=kind == IMAGE)
    if not tables:
        text = SECTION.text("No table", model=typeset.plain(name), way=way_of(network))
        st.info(text, icon=":material/info:")
        return
    table = tables[0]
    if len(tables) > 1:
        with tables_bar:
            paths = [candidate.path for candidate in tables]
            table = tables[paths.index(controls.choice("Table", paths, key="table"))]
    if not table.learned:
        st.info(SECTION.text("Table of waves"), icon=":material/info:")
    sentences = _picture(table) if table.grid else _sequence(table)
    layout.notes(SECTION, notice=sentences, numbers=_numbers(table))


def way_of(network: nn.Module) -> str:
    """How a model knows the order, as far as its parts tell: the end of a sentence."""
    if tables := find_tables(network):
        count = f"{len(tables[0].vectors):,}"
        if tables[0].learned:
            return f"it learned a vector for each of {count} positions"
        return f"it keeps a table of waves for {count} positions"
    way = position_method(network)
    base = rotary_base(network) if way == "rotary" else None
    return ORDER_CLAUSES[way] + (f", with the base {base:,.0f}" if base else "")


def _sequence(table: PositionTable) -> tuple[str, ...]:
    """The map of a row of tokens, and one row of it as a curve."""
    positions = evenly_spaced(len(table.vectors), MOST_POSITIONS)
    alike = similarity(table.vectors)
    numbers = [str(place) for place in positions.tolist()]

    def place_at(row: int, _column: int) -> None:
        st.session_state.place = int(positions[row])

    mapped, drawn = st.columns([1.1, 1], gap="large", vertical_alignment="center")
    with drawn:
        chosen = choose.slide("Position", 0, len(table.vectors) - 1, len(table.vectors) // 2, key="place")
        _one_position(alike[chosen].numpy(), chosen)
    with mapped:
        cell_map(
            alike[positions][:, positions].numpy(),
            key="learned-map",
            x="position",
            y="position",
            tell="positions {row} and {column}: cosine {value}",
            rows=numbers,
            columns=numbers,
            limits=(-1, 1),
            on_click=place_at,
            alt="How alike the vectors of all pairs of positions are; a band along the diagonal is nearness.",
            name="order-learned",
        )
        layout.place_notice()
    return sequence_notices(table)


def _one_position(cosines: np.ndarray, chosen: int) -> None:
    places = np.arange(len(cosines))
    figure = partial(
        curves,
        places,
        {f"position {chosen}": cosines},
        look=theme.look(),
        x="position",
        y=f"cosine with position {chosen}",
        tell=f"positions {chosen} and %{{x}}: %{{y:.2f}}",
        height=320,
    )
    charts.chart(
        figure,
        name="order-learned-row",
        alt=f"How alike position {chosen} is to all others.",
        table=pd.DataFrame({"position": places, "cosine": cosines}),
    )


def sequence_notices(table: PositionTable) -> tuple[str, ...]:
    """Near and far positions, and what one cannot ask for."""
    means = [round(mean, 2) for mean in mean_by_distance(similarity(table.vectors)).tolist()]
    count, free = len(means), ", though every vector was free to become anything" if table.learned else ""
    end = f"There are only {count:,} vectors: position {count:,} has none, so a longer text cannot be read."
    if count < 3:
        return (end,)
    half = count // 2
    if not (math.isfinite(means[1]) and math.isfinite(means[half])):
        return (end,)
    if half == 1:
        return f"Neighbours have a cosine of **{signed(means[1])}** on average.", end
    nearer = _compared(means[1], means[half])
    return (
        f"Neighbours have a cosine of **{signed(means[1])}** on average, positions {half} apart "
        f"**{signed(means[half])}**: near positions are {nearer}{free if nearer == MORE else ''}.",
        end,
    )


def _compared(near: float, far: float) -> str:
    """Whether near places are more alike than far ones, by their mean cosines."""
    if abs(near - far) < APART:
        return "about as alike as far ones"
    return MORE if near > far else "less alike than far ones"


def _picture(table: PositionTable) -> tuple[str, ...]:
    """The map of one patch, and the maps of all (as in figure 7 of Dosovitskiy et al. 2020)."""
    assert table.grid is not None
    rows, columns = table.grid
    alike = similarity(table.vectors[table.prefix :])
    one, all_of_them = st.columns(2, gap="large")
    with one:
        map_place = st.container()
        chosen = choose.slide("Patch", 0, rows * columns - 1, rows // 2 * columns + columns // 2, key="patch")
        layout.place_notice()
    row, column = divmod(chosen, columns)

    def patch_at(row: int, column: int) -> None:
        st.session_state.patch = row * columns + column

    with map_place:
        st.markdown(f"**One patch**: row {row}, column {column}. Click another.")
        cell_map(
            alike[chosen].unflatten(0, (rows, columns)).numpy(),
            key="learned-patch",
            x="column",
            y="row",
            tell="row {row}, column {column}: cosine {value}",
            limits=(-1, 1),
            marked=[(row, column)],
            mark="the patch that is compared",
            on_click=patch_at,
            alt=f"How alike the position of the patch in row {row}, column {column} is to that of every patch.",
            name="order-learned-patch",
        )
    with all_of_them:
        _all_patches(alike.numpy(), rows, columns)
    return picture_notices(table)


def _all_patches(alike: np.ndarray, rows: int, columns: int) -> None:
    down, across = evenly_spaced(rows, MOST_TILES).numpy(), evenly_spaced(columns, MOST_TILES).numpy()
    places = (down[:, None] * columns + across).ravel()
    sheet = tiles(alike[places].reshape(-1, rows, columns), len(down), len(across))
    figure = heat(
        sheet, look=theme.look(), x="column of the patch", y="row of the patch", limits=(-1, 1), tell="%{z:.2f}"
    )
    figure.update_xaxes(tickvals=_middles(len(across), columns), ticktext=[str(place) for place in across])
    figure.update_yaxes(tickvals=_middles(len(down), rows), ticktext=[str(place) for place in down])
    figure.update_traces(xgap=0, ygap=0, showscale=False)
    st.markdown("**All patches**: a small map for each, at its place.")
    charts.chart(
        figure,
        name="order-learned-patches",
        alt="For each patch a small map of how alike its position is to all others: darkest at its own place.",
        table=pd.DataFrame(alike).rename_axis("patch").reset_index(),
    )


def _middles(count: int, side: int) -> list[float]:
    return [number * (side + 1) + (side - 1) / 2 for number in range(count)]


def picture_notices(table: PositionTable) -> tuple[str, ...]:
    """What the vectors show of nearness, rows and columns, and the edge."""
    assert table.grid is not None
    rows, columns = table.grid
    end = (
        f"A finer picture has more patches than these {rows} × {columns} vectors: the vectors have to be stretched to "
        "its grid, or it cannot be read."
    )
    if rows * columns < 2:
        return (end,)
    means = patch_similarity(table.grid, similarity(table.vectors[table.prefix :]))
    near, far = round(means.touching, 2), round(means.far, 2)
    if not (math.isfinite(near) and math.isfinite(far)):
        return (end,)
    nearer = _compared(near, far)
    free = f", though nothing in the table itself says how the {rows * columns} patches lie" if nearer == MORE else ""
    sentences = [
        f"Patches that touch have a cosine of **{signed(near)}** on average, patches at least half the shorter side "
        f"apart **{signed(far)}**: near places are {nearer}{free}."
    ]
    kinds = {
        "in the same row or column": means.same_line,
        "equally far from the edge": means.same_ring,
        "that share neither": means.other,
    }
    if not any(map(math.isnan, kinds.values())):
        numbers = ", ".join(f"**{signed(value)}** {kind}" for kind, value in kinds.items())
        first = leading(kinds, APART)
        alike = f"Most alike are those {join_names(first)}."
        most = "None of the three stand out." if len(first) == len(kinds) else alike
        sentences.append(f"Among patches that far apart the mean cosine is {numbers}. {most}")
    return (*sentences, end)


def _numbers(table: PositionTable) -> dict[str, object]:
    """The sizes of a table, and where it comes from, by the places in the formula."""
    positions, width = table.vectors.shape
    return {
        "positions": positions,
        "width": width,
        "numbers": positions * width,
        "how": "all of them learned" if table.learned else "computed, not learned",
        "path": table.path,
    }
