"""Reach: how far back each of the five models feels, in one's own line and on average."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.memory.gradient_reach import by_distance, shares
from core.models.convolution import Convolution
from dashboard import charts, layout
from dashboard.components.tinted_lines import Line, tinted_lines
from dashboard.figures.curves import curves
from pages.foundations.before_attention import compute as kept
from pages.foundations.before_attention import notices
from pages.foundations.before_attention import words as said
from pages.foundations.before_attention.models import HUE, TITLES
from pages.foundations.before_attention.reading import LONGEST, Reading

PASSAGES, OWN = "many passages", "your line"
FAINTEST = 1e-4  # share of the reach that has no colour any more; the scale is logarithmic
TICKS = ((0, "0.01%"), (0.25, "0.1%"), (0.5, "1%"), (0.75, "10%"), (1, "100%"))
_BLANK = {" ": "space", "\n": "↵"}
LOWEST = 1e-6  # of the curves, relative to the last character


def show() -> None:
    """The line five times, tinted; then the curves."""
    line = st.text_input("Your line", said.LINE, key="line", bind="query-params", max_chars=LONGEST)
    with layout.waiting_place():
        reading = kept.reading(line)
    _say_what_is_unknown(reading)
    tinted_lines(
        [_seen(character) for character in reading.line],
        [_line(name, reading) for name in reading.norms],
        key="reach",
        odd=[place for place, character in enumerate(reading.line) if character in reading.unknown],
        odd_means="unknown to the models",
        scale=said.TINTED,
        ticks=TICKS,
        after=said.EXPECTS,
    )
    if not layout.is_presented():
        charts.download_table(_table(reading), "reach")
    st.subheader("How it fades with the distance", anchor=False)
    over = st.segmented_control(
        "Measured over", [PASSAGES, OWN], default=PASSAGES, key="over", bind="query-params", required=True
    )
    lines = mean_curves() if over == PASSAGES else own_curves(reading)
    _curves(lines)
    window = convolution().reach
    layout.notes(
        said.NOTES[said.REACH], notice=notices.about_reach(lines, own=over == OWN, window=window), formula=_formula
    )


def mean_curves() -> dict[str, np.ndarray]:
    """The mean gradient norm at each distance, relative to that of the last character."""
    table = kept.table("reach")
    return {title: np.array(table[name] / table[name].iloc[0]) for name, title in TITLES.items()}


def own_curves(reading: Reading) -> dict[str, np.ndarray]:
    """The same for one line."""
    return {TITLES[name]: by_distance(torch.from_numpy(norms)).numpy() for name, norms in reading.norms.items()}


def convolution() -> Convolution:
    """The body of the convolutional model, which knows how far it sees."""
    body = kept.models("text")[1]["convolution"].body
    assert isinstance(body, Convolution)
    return body


def _line(name: str, reading: Reading) -> Line:
    parts = shares(torch.from_numpy(reading.norms[name])).numpy()
    strengths = np.clip(1 - np.log10(np.maximum(parts, FAINTEST)) / math.log10(FAINTEST), 0, 1)
    last = len(parts) - 1
    tells = [
        f"{TITLES[name]}: “{_seen(character)}”, {_where(last - place)}, has {_percent(parts[place])} of the reach."
        for place, character in enumerate(reading.line)
    ]
    half = int((np.cumsum(parts[::-1]) < 0.5).sum()) + 1
    summary = f"{TITLES[name]}: half of the reach lies in the last {half} of {len(parts)} characters."
    after = [(_BLANK.get(label, label), _expected(probability)) for label, probability in reading.expected[name]]
    return Line(TITLES[name], strengths.tolist(), tells, after, summary)


def _where(distance: int) -> str:
    return f"{distance} before the last" if distance else "the last character"


def _expected(probability: float) -> str:
    return f"{probability:.0%}" if probability >= 0.005 else "<1%"


def _percent(share: float) -> str:
    if not share:
        return "nothing, exactly 0,"
    return f"{share:.2%}" if share >= 5e-5 else "less than 0.01%"


def _seen(character: str) -> str:
    """The character, or the number of one that cannot be seen."""
    if character == "\n":
        return _BLANK["\n"]
    return character if character.isprintable() else f"U+{ord(character):04X}"


def _say_what_is_unknown(reading: Reading) -> None:
    if reading.unknown:
        # Isolated (U+2066 to U+2069): a letter that is written from right to left must not turn the sentence round.
        shown = ", ".join(f"\u2066“{layout.plain(_seen(character))}”\u2069" for character in reading.unknown[:20])
        more = " and others" if len(reading.unknown) > 20 else ""
        st.info(
            f"The models have never seen {shown}{more}: they learned from Shakespeare's letters and read each of "
            "these as the same unknown character.",
            icon=":material/question_mark:",
        )


def _table(reading: Reading) -> pd.DataFrame:
    last = len(reading.line) - 1
    return pd.DataFrame(
        [
            (TITLES[name], place, last - place, reading.line[place], norm, share)
            for name, norms in reading.norms.items()
            for place, (norm, share) in enumerate(zip(norms, norms / norms.sum(), strict=True))
        ],
        columns=["model", "place", "distance", "character", "gradient norm", "share of the reach"],
    )


def _curves(lines: Mapping[str, np.ndarray]) -> None:
    length = len(next(iter(lines.values())))
    figure = curves(
        np.arange(length),
        {title: np.where(values >= LOWEST, values, np.nan) for title, values in lines.items()},
        look=layout.look(),
        x="characters before the last one",
        y="gradient norm (last character = 1)",
        tell="%{fullData.name}, %{x} characters before the last: %{y:.2g} of what the last one has",
        hues=HUE,
        y_log=True,
        y_range=(LOWEST, 5),
        height=layout.look().high(400),
    )
    charts.chart(
        figure,
        name="reach-curves",
        alt="The gradient norm at each distance from the last character, on a logarithmic scale, one line a model",
        table=pd.DataFrame(lines).rename_axis("distance").reset_index(),
    )


def _formula() -> None:
    st.latex(
        r"\mathrm{reach}(t) = \left\lVert \frac{\partial \log p(c \mid x_1 \ldots x_n)}{\partial x_t} \right\rVert"
    )
    st.markdown(said.REACH_FORMULA)
