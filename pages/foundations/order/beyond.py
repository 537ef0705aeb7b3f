"""Beyond the training length: six ways to tell the order, all else being equal."""

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import theme
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.theme import HUES
from pages.foundations.order import compute
from pages.foundations.order import order_controls as choose
from pages.foundations.order.prose import PAGE

SECTION = PAGE.section("Beyond training")
# The six ways as they are called in a legend, by their names in the file of measurements.
TITLES = {
    "none": "None",
    "learned": "Learned",
    "sinusoidal": "Waves",
    "rotary": "Rotary",
    "alibi": "ALiBi",
    "relative": "T5",
}
CHARACTERS = 65  # that tiny Shakespeare is written with
WINDOW = 8  # neighbouring lengths that are averaged
NOTABLE = 0.1  # bits: a difference that is worth a word
Ranges = tuple[tuple[int, int], ...]
_HUES = dict(zip(TITLES.values(), (HUES[5], HUES[1], HUES[3], HUES[0], HUES[2], HUES[4]), strict=True))


def show() -> None:
    """A curve for each way, and a table of what it does within the training length and beyond."""
    layout.prose(SECTION.text("Lead"))
    table, trained = compute.lengths(), compute.trained_length()
    longest = int(table["length"].max())
    with layout.control_bar():
        titles = list(TITLES.values())
        ways = st.multiselect("Ways to tell the order", titles, titles, key="ways", bind="query-params")
        reach = choose.slide("Up to", 2 * trained, longest, longest, key="reach")
    if not ways:
        st.info("Choose at least one way.", icon=":material/info:")
        return
    _figure(table, trained, ways, reach)
    layout.place_notice()
    ranges = ranges_of(trained, longest)
    outcomes = {way: means(table, way, ranges) for way in TITLES}
    st.table(_table(outcomes, ranges))  # scrolls inside itself where the window is narrow
    layout.notes(SECTION, notice=notices(outcomes, ranges), numbers=_numbers(table, trained))


def ranges_of(trained: int, longest: int) -> Ranges:
    """Characters before the one that is predicted: within the training length, just beyond it, and far beyond."""
    return (trained // 2, trained), (trained, 2 * trained), (longest // 2, longest)


def means(table: pd.DataFrame, way: str, ranges: Ranges) -> list[float]:
    """The mean bits of one way in each range (above its beginning, up to its end); NaN where nothing was measured."""
    mine = table[table["positions"] == way]
    return [float(mine["bits"][(mine["length"] > low) & (mine["length"] <= high)].mean()) for low, high in ranges]


def smooth(bits: np.ndarray, window: int = WINDOW) -> np.ndarray:
    """The mean over a window of neighbours, fewer at both ends."""
    kernel = np.ones(window)
    return np.convolve(bits, kernel, "same") / np.convolve(np.ones_like(bits), kernel, "same")


def _figure(table: pd.DataFrame, trained: int, ways: list[str], reach: int) -> None:
    lengths = np.arange(int(table["length"].max()) + 1)  # from 0, which was not measured
    lines = {}
    for way, title in TITLES.items():
        mine = table[table["positions"] == way]
        if title in ways and len(mine):
            line = np.full(len(lengths), np.nan)
            line[mine["length"]] = smooth(mine["bits"].to_numpy())
            lines[title] = line[: reach + 1]
    soft = theme.look().palette.soft
    figure = curves(
        lengths[: reach + 1],
        lines,
        look=theme.look(),
        hues=_HUES,
        x="characters that stand before",
        y="bits for the next character",
        tell="%{fullData.name}<br>after %{x} characters: %{y:.2f} bits",
        height=440,
    )
    figure.add_vline(x=trained, line={"color": soft, "dash": "dot", "width": 1.5})
    figure.add_annotation(
        x=trained,
        y=0,  # below the curves, which rise there
        yref="paper",
        text=" longest in training",
        showarrow=False,
        xanchor="left",
        yanchor="bottom",
        font={"color": soft},
    )
    charts.chart(
        figure,
        name="order-beyond",
        alt="Bits for the next character against the number of characters before it, a curve for each way.",
        table=table,
    )


def _table(outcomes: dict[str, list[float]], ranges: Ranges) -> pd.DataFrame:
    """What each does by construction, beside what was measured: bits, in the ranges that the columns name."""
    names = [f"{low} to {high}" for low, high in ranges]
    rows = {}
    for way, values in outcomes.items():
        cells = ("–" if np.isnan(value) else f"{value:.2f}" for value in values)
        measured = dict(zip(names, cells, strict=True))
        construction = SECTION.text(f"By construction: {TITLES[way]}")
        rows[f"**{TITLES[way]}**"] = measured | {"beyond, by construction": construction}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("bits at")


def notices(outcomes: dict[str, list[float]], ranges: Ranges) -> tuple[str, ...]:
    """One sentence for each way."""
    return tuple(f"**{TITLES[way]}**: {_say(way, values, ranges)}." for way, values in outcomes.items())


def _say(way: str, values: list[float], ranges: Ranges) -> str:
    inside, far = round(values[0], 2), round(values[-1], 2)
    if np.isnan(inside):
        return "not measured"
    what = f"{inside:.2f} bits from {ranges[0][0]} to {ranges[0][1]} characters"
    if np.isnan(far):
        return f"{what}, and nothing beyond{': it has no vector there' if way == 'learned' else ' was measured'}"
    change = round(far - inside, 2)
    words = f"{abs(change):.2f} bits {'more' if change > 0 else 'fewer'}" if abs(change) > NOTABLE else "about the same"
    return f"{what}, **{far:.2f}** beyond {ranges[-1][0]}: {words}"


def _numbers(table: pd.DataFrame, trained: int) -> dict[str, object]:
    """What was measured, by the places in the formula's text."""
    bits = table[table["length"] <= trained].groupby("positions")["bits"].mean()
    return {
        "longest": int(table["length"].max()),
        "trained": trained,
        "best": bits.min(),
        "worst": bits.max(),
        "characters": CHARACTERS,
        "guessing": np.log2(CHARACTERS),
        "neighbours": WINDOW,
    }
