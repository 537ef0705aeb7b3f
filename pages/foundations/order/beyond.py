"""Beyond the training length: six ways to tell the order, all else being equal."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard.figures.curves import curves
from dashboard.theme import HUES
from pages.foundations.order import compute as order_runs
from pages.foundations.order import inputs
from pages.foundations.order.words import BEYOND, BY_CONSTRUCTION, TITLES

CHARACTERS = 65  # that tiny Shakespeare is written with
WINDOW = 8  # neighbouring lengths that are averaged
WORSE, LOST = 0.1, 1.0  # bits: a difference that is worth a word, and one after which little is left
_HUES = dict(zip(TITLES.values(), (HUES[5], HUES[1], HUES[3], HUES[0], HUES[2], HUES[4]), strict=True))


@dataclass(frozen=True)
class Outcome:
    """Mean bits for a character, before the training length and beyond it; NaN where nothing was measured."""

    inside: float  # from half the training length to the whole
    just_beyond: float  # from once to twice the training length
    far: float  # over the farther half of all lengths that were measured


def show() -> None:
    """The whole part of the page."""
    inputs.lead(BEYOND)
    table, trained = order_runs.lengths(), order_runs.trained_length()
    longest = int(table["length"].max())
    with layout.control_bar():
        ways = st.multiselect(
            "Ways to tell the order",
            list(TITLES.values()),
            list(TITLES.values()),
            key="ways",
            bind="query-params",
        )
        reach = inputs.slide("Up to", 2 * trained, longest, longest, key="reach")
    if not ways:
        st.info("Choose at least one way.", icon=":material/info:")
        return
    _figure(table, trained, ways, reach)
    outcomes = {way: outcome(table, way, trained) for way in TITLES}
    st.table(_table(outcomes, trained, longest))  # scrolls inside itself where the window is narrow
    layout.notes(BEYOND, notice=notices(outcomes, trained, longest), formula=lambda: _formula(table, trained))


def outcome(table: pd.DataFrame, way: str, trained: int) -> Outcome:
    """What one way does on either side of the length that it was trained on."""
    mine = table[table["positions"] == way]

    def mean(low: float, high: float) -> float:
        return float(mine["bits"][(mine["length"] > low) & (mine["length"] <= high)].mean())

    longest = int(table["length"].max())
    return Outcome(mean(trained / 2, trained), mean(trained, 2 * trained), mean(longest / 2, longest))


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
    figure = curves(
        lengths[: reach + 1],
        lines,
        look=layout.look(),
        hues=_HUES,
        x="characters that stand before",
        y="bits for the next character",
        tell="%{fullData.name}<br>after %{x} characters: %{y:.2f} bits",
        height=440,
    )
    figure.add_vline(x=trained, line={"color": layout.look().palette.soft, "dash": "dot", "width": 1.5})
    figure.add_annotation(
        x=trained,
        y=0,  # below the curves, which rise there
        yref="paper",
        text=" longest in training",
        showarrow=False,
        xanchor="left",
        yanchor="bottom",
        font={"color": layout.look().palette.soft},
    )
    charts.chart(
        figure,
        name="order-beyond",
        alt="Bits for the next character against the number of characters before it, a curve for each way.",
        table=table,
    )


def _table(outcomes: dict[str, Outcome], trained: int, longest: int) -> pd.DataFrame:
    """What each does by construction, beside what was measured: bits, in the ranges that the columns name."""
    ranges = ((trained // 2, trained), (trained, 2 * trained), (longest // 2, longest))
    names = [f"{low} to {high}" for low, high in ranges]
    rows = {}
    for way, found in outcomes.items():
        cells = map(_cell, (found.inside, found.just_beyond, found.far))
        rows[f"**{TITLES[way]}**"] = dict(zip(names, cells, strict=True)) | {
            "beyond, by construction": BY_CONSTRUCTION[way]
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("bits at")


def _cell(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}"


def notices(outcomes: dict[str, Outcome], trained: int, longest: int) -> tuple[str, ...]:
    """One sentence for each way."""
    return tuple(f"**{TITLES[way]}**: {_say(found, trained, longest)}." for way, found in outcomes.items())


def _say(found: Outcome, trained: int, longest: int) -> str:
    if np.isnan(found.inside):
        return "not measured"
    if np.isnan(found.far):
        return f"{found.inside:.2f} bits up to {trained} characters, and nothing beyond: it has no vector there"
    change = found.far - found.inside
    what = f"{found.inside:.2f} bits up to {trained} characters, **{found.far:.2f}** beyond {longest // 2}"
    if change > LOST:
        return f"{what}: it is lost"
    if change > WORSE:
        return f"{what}: it gets worse, slowly"
    return f"{what}: it gains from more text" if change < -WORSE else f"{what}: it keeps its quality"


def _formula(table: pd.DataFrame, trained: int) -> None:
    st.latex(r"\text{bits}(n) = -\frac{1}{W} \sum_{w=1}^{W} \log_2 p\left(c_{n+1} \mid c_{1:n}\right)")
    best = table[table["length"] < trained].groupby("positions")["bits"].mean()
    st.markdown(
        f"over all $W$ held-out windows of tiny Shakespeare, for $n$ up to {int(table['length'].max())}. Six models of "
        f"the same size, trained on {trained} characters at a time; within that length they need {best.min():.2f} to "
        f"{best.max():.2f} bits. Guessing among {CHARACTERS} characters would cost {np.log2(CHARACTERS):.2f}. The "
        f"curves are means over {WINDOW} neighbours."
    )
