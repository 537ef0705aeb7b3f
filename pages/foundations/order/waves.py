"""Waves: a position told by sines and cosines of many lengths."""

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float
from torch import Tensor

from core.attention.positional_encodings import (
    distances,
    frequencies,
    rotation_matrix,
    shift_encoding,
    similarity_at,
    sinusoidal,
)
from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import column, small, square
from dashboard.output import charts
from pages.foundations.order import order_controls as choose
from pages.foundations.order.figures import circle
from pages.foundations.order.prose import PAGE

SECTION = PAGE.section("Waves")
WIDTHS = [8, 16, 32, 64, 128, 256, 512]
FIRST_WAVES = (0, 1, 8, 16)
MOST_WAVES = 6
SHOWN_POINTS = 40  # of a turning pair


def show() -> None:
    """The map of all waves, some of them as curves, the products of positions, and a step as a turn."""
    layout.prose(SECTION.text("Lead"))
    with layout.control_bar():
        length = choose.slide("Positions", 8, 256, 64, key="positions")
        width = st.select_slider("Channels", WIDTHS, 64, key="channels", bind="query-params", width=220)
        with layout.settings():
            base = base_input()
    encoding = sinusoidal(length, width, base)
    mapped, drawn = st.columns([1.1, 1], gap="large")
    with drawn:
        _single_waves(encoding, _waves(width), base)
    with mapped:
        cell_map(
            encoding.numpy(),
            key="waves-map",
            x="channel",
            y="position",
            tell="position {row}, channel {column}: {value}",
            limits=(-1, 1),
            on_click=_toggle,
            alt="Each row is the vector of one position: fast waves on the left, slow ones on the right.",
            name="order-waves",
        )
        layout.place_notice()
    layout.heading("How alike are two positions?")
    _products(encoding)
    layout.heading("A step is a turn")
    offset = _turn(encoding, base)
    numbers = {"base": base, "width": width, "last": width // 2 - 1}
    layout.notes(SECTION, notice=notices(encoding, base, offset), numbers=numbers)


def base_input() -> float:
    """The base of the wavelengths, or of the angles."""
    return float(
        controls.number_box(
            "Base",
            2.0,
            10_000_000.0,
            10_000.0,
            step=1000.0,
            format="%.0f",
            key="base",
            width=150,
            help=PAGE.text("Base"),
        )
    )


def _waves(width: int) -> list[int]:
    """Which channels are drawn as curves."""
    chosen = st.session_state.get("waves")
    if chosen is not None and any(channel >= width for channel in chosen):
        st.session_state.waves = [channel for channel in chosen if channel < width]
    return st.multiselect(
        "Single waves: click a column of the map, or choose channels",
        list(range(width)),
        [channel for channel in FIRST_WAVES if channel < width],
        key="waves",
        bind="query-params",
        max_selections=MOST_WAVES,
    )


def _toggle(_position: int, channel: int) -> None:
    chosen = list(st.session_state.get("waves", []))
    chosen = [wave for wave in chosen if wave != channel] if channel in chosen else [*chosen, channel]
    st.session_state.waves = chosen[-MOST_WAVES:]


def _single_waves(encoding: Float[Tensor, "token width"], waves: list[int], base: float) -> None:
    if not waves:
        layout.caption("Choose a channel to see its wave.")
        return
    lengths = (2 * math.pi / frequencies(encoding.shape[1], base)).tolist()
    kinds, numbers = ("sine", "cosine"), encoding.numpy()
    lines = {f"{wave}: {kinds[wave % 2]}, {lengths[wave // 2]:,.3g} long": numbers[:, wave] for wave in waves}
    figure = partial(
        curves,
        np.arange(len(encoding)),
        lines,
        look=theme.look(),
        x="position",
        y="value",
        tell="%{fullData.name}<br>position %{x}: %{y:.2f}",
        height=360,
        y_range=(-1.08, 1.08),
    )
    table = pd.DataFrame({"position": range(len(encoding)), **lines})
    charts.chart(figure, name="order-single-waves", alt="The chosen channels along the positions.", table=table)


def _products(encoding: Float[Tensor, "token width"]) -> None:
    """PE(p) · PE(p + k) against k for several p."""
    length = len(encoding)
    offsets = np.arange(-(length - 1), length)
    lines = {}
    for start in dict.fromkeys((0, length // 4, length // 2, length - 1)):
        line = np.full(len(offsets), np.nan)
        line[length - 1 - start : 2 * length - 1 - start] = encoding @ encoding[start]
        lines[f"from position {start}"] = line
    figure = curves(
        offsets,
        lines,
        look=theme.look(),
        x="distance k",
        y="PE(p) · PE(p + k)",
        tell="%{fullData.name}, distance %{x}: %{y:.2f}",
        height=300,
    )
    # The curves lie on one another: thick ones below thin ones show that all are there.
    for thick, trace in zip((9, 6.5, 4, 1.8), figure.data, strict=False):
        trace.line.width = thick
    charts.chart(
        figure,
        name="order-products",
        alt="The products of two position vectors against their distance: curves from several positions coincide.",
        table=pd.DataFrame({"distance": offsets, **lines}),
    )


def _turn(encoding: Float[Tensor, "token width"], base: float) -> int:
    """One pair of channels on its circle, and the matrix of a step; the step."""
    length, width = encoding.shape
    with layout.control_bar():
        pair = choose.slide("Pair of channels", 0, width // 2 - 1, 4, key="pair")
        start = choose.slide("Position", 0, length - 2, 3, key="position")
        offset = choose.slide("Step k", 1, length - 1 - start, 5, key="step")
    frequency = frequencies(width, base)[pair].item()
    channels = encoding[:, 2 * pair : 2 * pair + 2]
    drawn, written = st.columns([1, 1.1], gap="large")
    with drawn:
        _circle(channels.numpy(), pair, start, offset, frequency)
    with written:
        matrix = square(rotation_matrix(frequency, offset).tolist())
        before, after = (column(*channels[place].tolist()) for place in (start, start + offset))
        st.latex(rf"PE_{{({start} + {offset})}} = M_{{{offset}}}\, PE_{{({start})}}")
        st.latex(rf"{after} = {matrix} {before}")
        st.markdown(
            SECTION.text(
                "Turn of a pair",
                pair=pair,
                sine=2 * pair,
                cosine=2 * pair + 1,
                frequency=frequency,
                degrees=math.degrees(offset * frequency),
                step=offset,
                position=start,
                positions=length - offset,
                pairs=width // 2,
                error=small(error_of_step(encoding, base, offset)),
            )
        )
    return offset


def error_of_step(encoding: Float[Tensor, "token width"], base: float, offset: int) -> float:
    """The largest difference between the encoding `offset` positions on and what the matrices M_k make of it."""
    moved = shift_encoding(encoding[: len(encoding) - offset], offset, base)
    return (moved - encoding[offset:]).abs().max().item()


def _circle(pairs: np.ndarray, pair: int, start: int, offset: int, frequency: float) -> None:
    count = max(SHOWN_POINTS, start + offset + 1)
    points = pairs[:count, ::-1]  # the cosine to the right, the sine upwards: angles then grow against the clock
    figure = partial(
        circle,
        points,
        labels=[f"position {place}" for place in range(len(points))],
        arrows={f"PE({place})": (points[place, 0], points[place, 1]) for place in (start, start + offset)},
        turn=(start * frequency, (start + offset) * frequency),
        look=theme.look(),
        x=f"channel {2 * pair + 1} (cosine)",
        y=f"channel {2 * pair} (sine)",
    )
    charts.chart(
        figure,
        name="order-turn",
        alt=f"Positions as points on a circle; arrows point to positions {start} and {start + offset}.",
        table=pd.DataFrame({"position": range(len(pairs)), "sine": pairs[:, 0], "cosine": pairs[:, 1]}),
    )


def notices(encoding: Float[Tensor, "token width"], base: float, offset: int) -> tuple[str, str, str]:
    """The lengths of the waves, the one curve of products, the one matrix for a step of `offset`."""
    length, width = encoding.shape
    waves = (2 * math.pi / frequencies(width, base)).tolist()
    slow = sum(wave > length - 1 for wave in waves)
    products = encoding @ encoding.T
    spread = (products - similarity_at(distances(length, length), width, base)).abs().max().item()
    return (
        f"The fastest wave repeats after {waves[0]:.2f} positions, the slowest after {waves[-1]:,.0f}: {slow} of the "
        f"{len(waves)} pairs do not complete one turn between the first and the last of these {length} positions.",
        f"From each of the {length} positions the products are the same function of the distance alone, to "
        f"{small(spread)}. It is largest at distance 0, where it is {width // 2}, half the number of channels.",
        f"One set of {width // 2} small matrices moves every position by {offset}, with an error of at most "
        f"{small(error_of_step(encoding, base, offset))}: a linear map could learn “{offset} tokens ago” once, and use "
        "it everywhere.",
    )
