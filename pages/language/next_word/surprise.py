"""How surprised the model was by each token of one's own text: as tint, and along the text."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import torch
from streamlit.delta_generator import DeltaGenerator

from core.tokens.surprise import running_mean
from dashboard import theme, typeset
from dashboard.components.tinted_lines import Line, tinted_lines
from dashboard.figures.paper import escape, on_paper
from dashboard.frame import layout
from dashboard.number_format import CLEAR, compare
from dashboard.output import charts
from dashboard.theme import HUES, Look
from pages.language.next_word import compute_tokens, inputs
from pages.language.next_word.compute_tokens import Surprised
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Tokens: surprise")
TINTED = 1200  # tokens: a longer text could not be overlooked; the curve has all
FULL = 12.0  # bits at which the tint is full: 1 of 4,096
TICKS = tuple((bits / FULL, f"{bits}" if bits < FULL else f"{bits}+") for bits in (0, 4, 8, 12))
MEAN = 16  # tokens that the smooth curve averages


def show(bar: DeltaGenerator) -> None:
    """The tinted text, then the curve; the controls stand in `bar`."""
    with bar:
        typed_text = inputs.text()
        menu = layout.settings()
    selection = inputs.selection(typed_text, menu)
    with layout.waiting_place():
        surprise = compute_tokens.surprised(selection.name, selection.text)
    typeset.show_cut_notice(surprise.tokens)
    labels, bits = surprise.tokens.labels, surprise.bits.numpy()
    names = [typeset.in_word(surprise.tokens, place) for place in range(len(labels))]
    tinted_lines(
        [label.replace("\n", "↵\n") for label in labels[:TINTED]],
        [_line(selection.name, names[:TINTED], bits[:TINTED], surprise)],
        key="surprise",
        odd=[place for place, special in enumerate(surprise.tokens.special[:TINTED]) if special],
        odd_means="special tokens, which the tokenizer adds",
        scale="bits: the more bits, the less expected",
        ticks=TICKS,
        after="",
        of="token",
    )
    layout.place_notice()
    typeset.explain_bytes(labels[:TINTED])
    rows = table(names, bits)
    charts.chart(
        partial(along, bits, tuple(names), look=theme.look()),
        name="tokens-surprise",
        alt=f"Bits of each token along the text as points, and the mean of the last {MEAN} as a line",
        table=rows,
    )
    notice = about_bits(names, bits, surprise.characters, surprise.vocabulary)
    layout.notes(SECTION, notice=notice, numbers=_numbers(surprise, names))


def _line(name: str, labels: Sequence[str], bits: np.ndarray, surprise: Surprised) -> Line:
    known = surprise.bits[~surprise.bits.isnan()]
    return Line(
        name,
        np.clip(np.nan_to_num(bits) / FULL, 0, 1).tolist(),
        [tell(label, value) for label, value in zip(labels, bits.tolist(), strict=True)],
        [("mean", f"{known.mean():.2f} bits a token")],
        f"{name}: {known.mean():.2f} bits a token on average, over {len(known)} tokens",
    )


def tell(label: str, bits: float) -> str:
    """The sentence for one token."""
    name = typeset.readable(label)
    if math.isnan(bits):
        return f"“{name}”: the first token; nothing was predicted about it."
    chance = 2.0**-bits
    return f"“{name}”: {bits:.1f} bits, expected with {chance:.1%}" + (
        "." if chance >= 0.0005 else f", 1 of {2.0**bits:,.0f}."
    )


def table(labels: Sequence[str], bits: np.ndarray) -> pd.DataFrame:
    """One row a token."""
    means = running_mean(torch.from_numpy(bits), MEAN).numpy()
    return pd.DataFrame(
        {
            "position": range(len(bits)),
            "token": list(labels),
            "bits": bits,
            "probability": 2.0**-bits,
            f"mean of the last {MEAN}": means,
        }
    )


def along(bits: np.ndarray, labels: tuple[str, ...], *, look: Look) -> go.Figure:
    """Bits by position: a point a token, a line for the running mean."""
    places = list(range(len(bits)))
    figure = go.Figure()
    figure.add_scatter(
        x=places,
        y=bits.tolist(),
        mode="markers",
        name="each token",
        marker={"color": HUES[4], "size": 6 if len(bits) <= 400 else 3},
        customdata=[escape(typeset.readable(label)) for label in labels],
        hovertemplate="“%{customdata}”, position %{x}: %{y:.1f} bits<extra></extra>",
    )
    figure.add_scatter(
        x=places,
        y=running_mean(torch.from_numpy(bits), MEAN).tolist(),
        mode="lines",
        name=f"mean of the last {MEAN}",
        line={"color": HUES[1], "width": 2.4},
        hovertemplate="position %{x}: %{y:.2f} bits on average<extra></extra>",
    )
    return on_paper(
        figure, look=look, height=look.high(340), x="position in the text", y="bits", yaxis={"rangemode": "tozero"}
    )


def about_bits(labels: Sequence[str], bits: np.ndarray, characters: int, vocabulary: int) -> tuple[str, ...]:
    """The mean, where most of the surprise sits, the most surprising token, and whether it falls along the text."""
    known = [place for place, value in enumerate(bits) if not math.isnan(value)]
    values = bits[known]
    total, mean = float(values.sum()), float(values.mean())
    peak = known[int(values.argmax())]
    half = int((np.cumsum(np.sort(values)[::-1]) < total / 2).sum()) + 1
    sentences = [
        f"The text costs **{total:,.0f} bits**: **{mean:.2f} a token**, {total / characters:.2f} a character. "
        + _like_choosing(2.0**mean, vocabulary),
        f"The most surprising token is **“{typeset.plain(typeset.readable(labels[peak]))}”** (position {peak}), with "
        f"{bits[peak]:.1f} bits.",
    ]
    if total > 0 and len(known) > 3:
        sentences.append(f"Half of all bits are in {half} of {len(known)} tokens ({half / len(known):.0%}).")
    if len(known) >= 2 * MEAN:
        middle = len(known) // 2
        first, second = float(values[:middle].mean()), float(values[middle:].mean())
        error = math.hypot(*(float(half.std(ddof=1)) / len(half) ** 0.5 for half in np.split(values, [middle])))
        way = {"less": "the surprise falls", "more": "the surprise rises"}.get(
            compare(second, first, margin=CLEAR * error), "no clear change can be seen"
        )
        sentences.append(
            f"Along your text {way}: {first:.2f} bits a token in the first half, {second:.2f} in the second (two "
            f"standard errors of the difference: {CLEAR * error:.2f})."
        )
    return tuple(sentences)


def _like_choosing(equal: float, vocabulary: int) -> str:
    """The mean as a choice among so many equally probable tokens; that can be more than there are."""
    if equal > vocabulary:
        return f"Guessing evenly among all {vocabulary:,} tokens would cost only {math.log2(vocabulary):.2f} a token."
    return f"That is a choice among {equal:,.1f} equally probable tokens each time."


def _numbers(surprise: Surprised, names: Sequence[str]) -> dict[str, object]:
    """The probability of the most surprising token, and what it costs."""
    place = int(surprise.bits.nan_to_num(-1).argmax())
    cost = float(surprise.bits[place])
    mantissa, exponent = f"{2.0**-cost:.2e}".split("e")
    return {
        "token": typeset.plain(names[place]),
        "position": place,
        "mantissa": mantissa,
        "exponent": int(exponent),
        "bits": cost,
    }
