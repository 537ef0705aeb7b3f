"""Dictionary: three entries, a query that turns, and an answer that is mixed from all values."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.attention.soft_lookup import Lookup, soft_lookup
from dashboard import theme
from dashboard.figures.curves import curves
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.number_format import signed
from dashboard.output import charts
from pages.foundations.attention_step_by_step.figures import Arrow, arrows
from pages.foundations.attention_step_by_step.prose import PAGE

SECTION = PAGE.section("Dictionary")


@dataclass(frozen=True)
class Entry:
    """An invented entry: the wind's direction in degrees, clockwise from north, with the rain and the sun it brings."""

    name: str
    degrees: float
    rain: float  # mm
    sun: float  # hours


ENTRIES = (Entry("north", 0, 1, 6), Entry("east", 90, 0, 11), Entry("south-west", 225, 9, 2))
VALUES = {"rain": "mm", "sun": "hours"}  # what a value holds, with the unit
ANGLES = [math.radians(entry.degrees) for entry in ENTRIES]
KEYS = torch.tensor([[math.sin(angle), math.cos(angle)] for angle in ANGLES], dtype=torch.float64)
VALUE = torch.tensor([[entry.rain, entry.sun] for entry in ENTRIES], dtype=torch.float64)
CLOSE = 0.005  # shares that differ by less read the same
TEMPERATURES = np.linspace(0, 2, 41)


@dataclass(frozen=True)
class Query:
    """A query by its direction and length, and the temperature."""

    degrees: float
    length: float
    temperature: float

    @property
    def vector(self) -> torch.Tensor:
        """The vector: how far it points to the east and to the north."""
        angle = math.radians(self.degrees)
        return self.length * torch.tensor([math.sin(angle), math.cos(angle)], dtype=torch.float64)

    def answer(self, temperature: float | None = None) -> Lookup:
        """What the dictionary answers, at this temperature or at another one."""
        chosen = self.temperature if temperature is None else temperature
        return soft_lookup(self.vector, KEYS, VALUE, temperature=chosen)


def show() -> None:
    """Keys and query as arrows, scores, shares and values as bars, and the shares at every temperature."""
    query = _chosen_query()
    lookup, hard = query.answer(), query.answer(0.0)
    drawn, listed = st.columns([1, 1.3], gap="large")
    with drawn:
        _compass(query, lookup)
        layout.place_notice()
    with listed:
        _entries(lookup)
        _temperatures(query)
    layout.notes(SECTION, notice=notices(query, lookup, hard), numbers=numbers_of(query, lookup))


def _chosen_query() -> Query:
    with layout.control_bar():
        degrees = st.slider(
            "Query: wind from (degrees)", 0, 355, 30, 5, key="lookup_angle", bind="query-params", width=260
        )
        temperature = st.slider(
            "Temperature", 0.0, 2.0, 0.5, 0.05, key="lookup_temperature", bind="query-params", width=260
        )
        with layout.settings():
            length = st.slider("Length of the query", 0.0, 4.0, 1.0, 0.5, key="lookup_length", bind="query-params")
    return Query(float(degrees), float(length), float(temperature))


def _compass(query: Query, lookup: Lookup) -> None:
    shares, points = lookup.shares.tolist(), KEYS.tolist()
    vectors = [
        Arrow(entry.name, x, y, share, f"key {entry.name}: share {share:.0%}")
        for entry, (x, y), share in zip(ENTRIES, points, shares, strict=True)
    ]
    across, up = query.vector.tolist()
    vectors.append(Arrow("query", across, up, 1.0, f"query: wind from {query.degrees:.0f}°", is_query=True))
    figure = partial(
        arrows,
        vectors,
        look=theme.look(),
        x="to the east",
        y="to the north",
        circle=1.0,
        shadow_of=lookup.best[0] if len(lookup.best) == 1 else None,
    )
    table = pd.DataFrame({"vector": [arrow.name for arrow in vectors], "east": [*KEYS[:, 0].tolist(), across]})
    table["north"] = [*KEYS[:, 1].tolist(), up]
    alt = f"Three keys as arrows of length 1, and the query, {query.degrees:.0f} degrees clockwise from north."
    charts.chart(figure, name="steps-dictionary", alt=alt, table=table)


def _entries(lookup: Lookup) -> None:
    names = [*(entry.name for entry in ENTRIES), "answer"]
    scores, shares = (np.append(values.numpy(), end) for values, end in ((lookup.scores, np.nan), (lookup.shares, 1.0)))
    values = np.vstack([VALUE.numpy(), lookup.answer.numpy()])
    columns = [
        Column("query · key", scores, "%{customdata}: dot product with the query %{x:.3f}"),
        Column("share", shares, "%{customdata}: share %{x:.1%}", percent=True),
        *(
            Column(f"{name}, {unit}", values[:, place], f"%{{customdata}}: {name} %{{x:.2f}} {unit}")
            for place, (name, unit) in enumerate(VALUES.items())
        ),
    ]
    figure = partial(score_bars, names, columns, look=theme.look(), marked=len(ENTRIES))
    table = pd.DataFrame({"entry": names} | {column.title: column.values for column in columns})
    alt = "Each entry with its score, its share and its value, and the answer, which is the mixture of the values."
    charts.chart(figure, name="steps-dictionary-entries", alt=alt, table=table)


def _temperatures(query: Query) -> None:
    shares = np.stack([query.answer(float(temperature)).shares.numpy() for temperature in TEMPERATURES])
    lines = {entry.name: shares[:, place] for place, entry in enumerate(ENTRIES)}
    figure = partial(
        curves,
        TEMPERATURES,
        lines,
        look=theme.look(),
        x="temperature",
        y="share",
        tell="%{fullData.name}, temperature %{x:.2f}: %{y:.1%}",
        height=theme.look().high(210),
        y_range=(-0.03, 1.03),
    )
    layout.caption(SECTION.text("Shares at every temperature", degrees=query.degrees))
    alt = "The shares of the three keys against the temperature."
    charts.chart(
        figure,
        name="steps-dictionary-temperatures",
        alt=alt,
        table=pd.DataFrame({"temperature": TEMPERATURES, **lines}),
    )


def notices(query: Query, lookup: Lookup, hard: Lookup) -> tuple[str, ...]:
    """What gets the largest share, what a hard look-up would answer, and what the temperature stands for."""
    return (_tell_shares(query, lookup), _tell_hard(query, lookup, hard), _tell_scale(query))


def _tell_shares(query: Query, lookup: Lookup) -> str:
    """Which keys answer: one, several that tie, or all alike."""
    shares = lookup.shares
    best = [ENTRIES[place].name for place in lookup.best]
    largest = float(shares[lookup.best[0]])
    first = best[0].capitalize()
    if len(best) == len(ENTRIES):
        reason = "The query has length 0 and points nowhere: all" if query.length == 0 else "All"
        sentence = f"{reason} {len(best)} keys have the same score and share the answer evenly, **{largest:.0%}** each"
    elif len(best) > 1:
        names = " and ".join(f"**{name}**" for name in (first, *best[1:]))
        sentence = f"{names} tie: they have the same score and get the same share, **{largest:.0%}** each"
    elif query.temperature == 0:
        sentence = f"**{first}**, the best key, gets **100%**: at temperature 0 this is a hard look-up"
    elif float(shares.max() - shares.min()) < CLOSE:
        sentence = f"All {len(ENTRIES)} keys get about the same share, **{float(shares.mean()):.0%}**"
    else:
        sentence = f"**{first}**, whose key is closest to the query, gets **{largest:.0%}** of the answer"
    return f"{sentence}. The answer is {_value(lookup)}."


def _tell_hard(query: Query, lookup: Lookup, hard: Lookup) -> str:
    """How far the soft answer is from that of the hard look-up."""
    names = " and ".join(ENTRIES[place].name for place in hard.best)
    what = f"the value of {names}" if len(hard.best) == 1 else f"the mean of the values of {names}"
    if query.temperature == 0:
        return f"This is the hard look-up: the answer is {what}."
    rain, sun = (lookup.answer - hard.answer).tolist()
    if max(abs(rain), abs(sun)) < CLOSE:
        return f"A hard look-up gives the same answer to two decimals: {what}."
    return (
        f"A hard look-up (temperature 0) answers with {what}: {_value(hard)}. The soft answer differs by "
        f"{_change(rain)} {VALUES['rain']} of rain and {_change(sun)} {VALUES['sun']} of sun."
    )


def _tell_scale(query: Query) -> str:
    """The temperature that scaled dot-product attention fixes, beside the chosen one."""
    root = math.sqrt(KEYS.shape[1])
    weights = query.answer(root)
    shares = ", ".join(f"{float(share):.0%}" for share in weights.shares)
    return (
        f"Scaled dot-product attention divides by the root of the number of channels, here √{KEYS.shape[1]} = "
        f"{root:.2f}: that is a temperature, at which the three shares are {shares}."
    )


def _value(lookup: Lookup) -> str:
    return " and ".join(
        f"{signed(float(number))} {unit} of {name}"
        for number, (name, unit) in zip(lookup.answer, VALUES.items(), strict=True)
    )


def _change(number: float) -> str:
    return f"{round(number, 2) + 0.0:+.2f}".replace("-", "−")


def numbers_of(query: Query, lookup: Lookup) -> dict[str, float]:
    """The numbers of the formulas: of each entry its score, share and rain; the answer's rain, and the temperature."""
    numbers = {"rain": float(lookup.answer[0]), "temperature": query.temperature}
    entries = zip(ENTRIES, lookup.scores.tolist(), lookup.shares.tolist(), strict=True)
    for place, (entry, score, share) in enumerate(entries):
        numbers |= {f"score{place}": score, f"share{place}": share, f"rain{place}": entry.rain}
    return numbers
