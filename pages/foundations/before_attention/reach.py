"""Reach: how far back each of the five models feels, in one's own line and on average."""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.reach.gradient_reach import by_distance, farthest_distance, half_life, shares
from dashboard import theme, typeset
from dashboard.components.tinted_lines import Line, tinted_lines
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts
from dashboard.number_format import with_power
from dashboard.output import charts
from dashboard.output.comparisons import join_names, leading
from pages.foundations.before_attention import compute
from pages.foundations.before_attention.compute import LONGEST, TITLES, Reading
from pages.foundations.before_attention.figures import reach_curves
from pages.foundations.before_attention.prose import PAGE

SECTION = PAGE.section("Reach")
LINES = example_texts.examples("characters")
PASSAGES, OWN = "many passages", "your line"
FAINTEST = 1e-4  # share of the reach that has no colour any more; the scale is logarithmic
TICKS = ((0, "0.01%"), (0.25, "0.1%"), (0.5, "1%"), (0.75, "10%"), (1, "100%"))
_BLANK = {" ": "space", "\n": "↵"}
NEARLY_ALL = 0.99  # of the gradient
FAR = 50  # characters: a distance at which the models are compared
SHORT = 12  # characters: below it, a line shows no curve

RNN, LSTM, GRU, CONVOLUTION, ATTENTION = TITLES.values()


def show() -> None:
    """The line five times, tinted; then the curves."""
    with layout.control_bar():
        first = next(iter(LINES.values()))
        line = st.text_input("Your line", first, key="line", bind="query-params", max_chars=LONGEST)
        controls.examples(LINES, field="line")
    with layout.waiting_place():
        reading = compute.read(line)
    tinted_lines(
        [_visible_character(character) for character in reading.line],
        [_line(name, reading) for name in reading.norms],
        key="reach",
        odd=[place for place, character in enumerate(reading.line) if character in reading.unknown],
        odd_means="unknown to the models",
        scale="A character's share of the model's gradient",
        ticks=TICKS,
        after="expects next",
    )
    layout.place_notice()
    _say_what_is_unknown(reading)
    charts.download_table(partial(_table, reading), "reach")
    st.subheader("How the gradient fades with the distance", anchor=False)
    over = controls.choice("Measured over", [PASSAGES, OWN], key="over")
    lines = compute.mean_reach() if over == PASSAGES else own_curves(reading)
    charts.chart(
        partial(reach_curves, lines, look=theme.look()),
        name="reach-curves",
        alt="The gradient norm at each distance from the last character, on a logarithmic scale, one line per model",
        table=pd.DataFrame(lines).rename_axis("distance").reset_index(),
    )
    notice = (about_line(reading), *about_reach(lines, own=over == OWN, window=compute.window_of_convolution()))
    layout.notes(SECTION, notice=notice)


def own_curves(reading: Reading) -> dict[str, np.ndarray]:
    """The gradient norms of one line by their distance from its last character, by title."""
    return {TITLES[name]: by_distance(torch.from_numpy(norms)).numpy() for name, norms in reading.norms.items()}


def about_line(reading: Reading) -> str:
    """How many of the last characters of the line hold NEARLY_ALL of the gradient of each model."""
    counts = {TITLES[name]: _characters_with(NEARLY_ALL, _shares(name, reading)) for name in reading.norms}
    farthest = [title for title, count in counts.items() if count == max(counts.values())]
    others = ", ".join(f"{title} {count}" for title, count in counts.items() if title not in farthest)
    reach = "reaches" if len(farthest) == 1 else "reach"
    return (
        f"**{join_names(farthest)}** {reach} farthest: {NEARLY_ALL:.0%} of the gradient lies in the last "
        f"**{max(counts.values())}** of {len(reading.line)} characters{f' ({others})' if others else ''}."
    )


def about_reach(lines: Mapping[str, np.ndarray], *, own: bool, window: int) -> tuple[str, ...]:
    """What curves by distance show: half-lives, the edge of the convolution's `window`, and what is left far away."""
    length = len(lines[RNN])
    if length < SHORT:
        return (f"A line of {length} characters is too short to show how the gradient fades: write a few words more.",)
    lives = {title: half_life(torch.from_numpy(lines[title])) for title in (RNN, LSTM, GRU)}
    where, distance = "in your line" if own else "on average", min(FAR, length - 1)
    left = {title: float(norms[distance]) for title, norms in lines.items()}
    remainders = ", ".join(f"{title} {_small(left[title])}" for title in (RNN, GRU, LSTM, ATTENTION))
    return (
        f"In the recurrent networks the gradient halves {where} (best-fitting exponential): "
        + ", ".join(f"{title} {_halved(life)}" for title, life in lives.items())
        + ".",
        _about_edge(farthest_distance(torch.from_numpy(lines[CONVOLUTION])), window)
        if length > window
        else (
            f"The convolution's window of {window} characters covers all {length} of this line. A longer line would "
            "show its edge."
        ),
        f"At {distance} characters before the last one, this share of the last character's gradient is left {where}: "
        f"{remainders}.{_about_most(left)}",
    )


def _about_edge(farthest: int, window: int) -> str:
    """From how far back anything reaches the convolution; `farthest` is -1 where nothing does."""
    if farthest < 0:
        return "In this line no character reaches the convolution: its prediction depends on none of them."
    return (
        f"The farthest character that reaches the convolution is **{farthest} characters** before the last one. Its "
        f"window holds exactly {window} characters; beyond the window the gradient is exactly 0."
    )


def _about_most(left: Mapping[str, float]) -> str:
    """In which model most of the gradient is left, or in which two, if they differ by less than a tenth."""
    most = max((value for value in left.values() if math.isfinite(value)), default=0.0)
    if not most:
        return " No model has any left."
    return f" Most is left in: **{join_names(leading(left, most / 10))}**."


def _halved(life: float) -> str:
    if math.isnan(life):
        return "**at once** (nothing before the last character is felt)"
    return f"every **{life:.1f} characters**" if math.isfinite(life) else "**never** (it does not fall)"


def _small(value: float) -> str:
    if value >= 1e-3:
        return f"{value:.1%}"
    return with_power(value, digits=1) if value > 0 else "0"


def _line(name: str, reading: Reading) -> Line:
    """What the view shows of one model: half of its gradient, and each character's share of it."""
    parts, title = _shares(name, reading), TITLES[name]
    half, last = _characters_with(0.5, parts), len(parts) - 1
    return Line(
        title,
        np.clip(1 - np.log10(np.maximum(parts, FAINTEST)) / math.log10(FAINTEST), 0, 1).tolist(),
        [
            f"{title}: “{_visible_character(character)}”, {f'{ago} before the last' if ago else 'the last character'}, "
            f"has {_percent(share)} of the gradient."
            for ago, character, share in zip(range(last, -1, -1), reading.line, parts.tolist(), strict=True)
        ],
        [(_BLANK.get(label, label), f"{p:.0%}" if p >= 0.005 else "<1%") for label, p in reading.expected[name]],
        f"{title}: half of the gradient lies in the last {half} of {len(parts)} characters.",
    )


def _shares(name: str, reading: Reading) -> np.ndarray:
    """The share of a model's gradient at each character, first to last."""
    return shares(torch.from_numpy(reading.norms[name])).numpy()


def _characters_with(share: float, parts: np.ndarray) -> int:
    """How many of the last characters hold this share of the gradient."""
    return min(int((np.cumsum(parts[::-1]) < share).sum()) + 1, len(parts))


def _percent(share: float) -> str:
    if not share:
        return "nothing, exactly 0,"
    return f"{share:.2%}" if share >= 5e-5 else "less than 0.01%"


def _visible_character(character: str) -> str:
    """The character, or the number of one that cannot be seen."""
    if character == "\n":
        return _BLANK["\n"]
    return character if character.isprintable() else f"U+{ord(character):04X}"


def _say_what_is_unknown(reading: Reading) -> None:
    if reading.unknown:
        # Isolated (U+2066 to U+2069): a letter that is written from right to left must not turn the sentence round.
        characters = ", ".join(
            f"\u2066“{typeset.plain(_visible_character(character))}”\u2069" for character in reading.unknown[:20]
        )
        more = " and others" if len(reading.unknown) > 20 else ""
        st.info(
            f"The models have never seen {characters}{more}: they learned from Shakespeare's letters and read each of "
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
