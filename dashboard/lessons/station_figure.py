"""The figure of a station: what its question is about, with the answer covered, and filled in after the answer.

Before the answer the functions that draw get labels and no values: what is not sent cannot be read in the browser.
"""

import textwrap
from collections.abc import Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from PIL import Image

from dashboard import theme, typeset
from dashboard.figures.heat import heat
from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.figures.pictures import picture_address
from dashboard.lessons.figure_content import AttentionMap, attention_map, picture
from dashboard.lessons.form import Question
from dashboard.lessons.readings.answers import QUARTERS, Amount, Answer, Choice
from dashboard.output import charts
from dashboard.theme import Look

HIDDEN = "?"
NAME = "station-figure"  # the key of the chart
MAP_ROW, BAR_ROW = 23, 30  # pixels
TALLEST = 300  # pixels of a map
MOST_LABELS = 40  # tokens: a longer map has no labels
LEAST_WRITTEN = 0.05  # a weight below it is not written into its cell
LINE, MOST_LINES = 18, 3  # characters of a line of a label beside a bar, and lines
PICTURE_WIDTH, BARS_WIDTH = 170, 250  # pixels, beside one another, for letters of LETTERS pixels
LETTERS = 14
QUARTERED = 270  # pixels of a picture of which the quarters are asked for
GUESS = "the guess"


def show(question: Question, answer: Answer, *, guess: str | None = None, is_covered: bool) -> None:
    """Draw the figure of a question: a map with the row that is asked for, a picture, or a bar for each choice.

    `is_covered`: before the answer, with signs in place of all that tells it. `guess` is the answer in the address or
    the visitor's own, which is marked.
    """
    look = theme.look()
    if (head_map := attention_map(question)) is not None and isinstance(answer, Choice):
        _show_map(head_map, answer, look=look, is_covered=is_covered)
        return
    pixels = picture(question)
    if isinstance(answer, Choice) and pixels is not None and set(answer.values) == set(QUARTERS):
        shares = None if is_covered else [answer.values[quarter] for quarter in QUARTERS]
        alt = (
            "A picture in four quarters; the attention on each is covered." if shares is None else _values_text(answer)
        )
        charts.plot(partial(quartered, pixels, shares, look=look), name=NAME, alt=alt)
        return
    if pixels is None:
        _show_bars(answer, guess, look=look, is_covered=is_covered)
        return
    # Where both do not fit beside one another, as on a phone, the bars stand below the picture.
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.image(pixels, width=round(PICTURE_WIDTH * look.letters / LETTERS))
        with st.container(width=round(BARS_WIDTH * look.letters / LETTERS)):
            _show_bars(answer, guess, look=look, is_covered=is_covered)


def labels_of(answer: Answer) -> list[str]:
    """The choices in an order that does not tell the answer: that of the text, else alphabetical; none for an amount.

    A reading that asks for the likeliest words returns them by probability.
    """
    if not isinstance(answer, Choice):
        return []
    values = list(answer.values.values())
    is_ranked = len(values) > 1 and values in (sorted(values), sorted(values, reverse=True))
    return sorted(answer.values, key=str.casefold) if is_ranked else list(answer.values)


def _show_map(head_map: AttentionMap, answer: Choice, *, look: Look, is_covered: bool) -> None:
    query = typeset.readable(head_map.queries[head_map.row])
    if is_covered:
        drawn, alt = head_map.covered(), f"A map of attention; the row of “{query}” is covered."
    else:
        drawn, alt = head_map, f"A map of attention; in the row of “{query}”: {_values_text(answer)}"
    charts.plot(partial(asked_row, drawn, look=look), name=NAME, alt=alt)


def _show_bars(answer: Answer, guess: str | None, *, look: Look, is_covered: bool) -> None:
    if isinstance(answer, Choice):
        labels = labels_of(answer)
        values = None if is_covered else [answer.values[label] for label in labels]
        texts = [] if values is None else [answer.with_unit(value) for value in values]
        alt, full = (_values_text(answer) if values else f"The values of {', '.join(labels)} are covered."), None
    else:
        assert isinstance(answer, Amount)
        labels, values, texts, alt = ["the model"], None, [], "The model's number is covered."
        full = 100.0 if answer.unit == "%" else None
        if not is_covered:
            values, texts, alt = [answer.value], [answer.with_unit()], f"The model: {answer.with_unit()}."
            if (number := _number(guess)) is not None:
                labels, values, texts = [*labels, GUESS], [*values, number], [*texts, f"{number:,g}"]
    own = labels.index(guess) if not is_covered and isinstance(answer, Choice) and guess in labels else None
    charts.plot(partial(bars, labels, values, texts, own=own, full=full, look=look), name=NAME, alt=alt)


def _number(guess: str | None) -> float | None:
    """A guess as a finite number; None if it is none, such as a text of an address."""
    try:
        number = float((guess or "").replace(",", ""))
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _values_text(answer: Choice) -> str:
    return ", ".join(f"{label} {answer.with_unit(answer.values[label])}" for label in labels_of(answer)) + "."


def asked_row(head_map: AttentionMap, *, look: Look) -> go.Figure:
    """A map of attention with an outline around the row that is asked for; signs in its cells if it is covered."""
    weights, row = head_map.weights, head_map.row
    larger = look.letters / LETTERS
    queries, keys = (
        [typeset.readable(label) for label in labels] if len(labels) <= MOST_LABELS else None
        for labels in (head_map.queries, head_map.keys)
    )
    figure = heat(
        weights,
        look=look,
        x="",
        y="",
        rows=queries,
        columns=keys,
        limits=(0.0, 1.0),
        height=round(min((2 if look.presented else 1) * TALLEST, larger * (90 + MAP_ROW * len(weights)))),
    )
    figure.update_traces(showscale=False)
    figure.update_layout(margin={"r": 3 * look.letters})  # the last slanted label needs room
    figure.update_xaxes(side="top", tickangle=-40 if len(weights[0]) > 4 else 0)
    edge = {"type": "rect", "x0": -0.5, "x1": weights.shape[1] - 0.5, "y0": row - 0.5, "y1": row + 0.5}
    is_covered = bool(np.isnan(weights[row]).all())
    fill = {"fillcolor": look.palette.hair} if is_covered else {}
    figure.add_shape(**edge, line={"color": look.palette.accent, "width": 2}, **fill)
    font = {"size": look.letters, "color": look.palette.ink}
    for column, weight in enumerate(weights[row].tolist() if keys else ()):
        if is_covered:
            figure.add_annotation(x=column, y=row, text=HIDDEN, showarrow=False, font=font)
        elif weight >= LEAST_WRITTEN:
            on_ink = font | {
                "color": look.palette.paper if weight > 0.5 else look.palette.ink,
                "size": look.letters - 2,
            }
            figure.add_annotation(x=column, y=row, text=f"{100 * weight:.0f}", showarrow=False, font=on_ink)
    return figure


def quartered(pixels: np.ndarray, shares: Sequence[float] | None, *, look: Look) -> go.Figure:
    """A picture (row, column, channel) cut into quarters, each with its share, or with a sign while it is covered."""
    high, wide = pixels.shape[:2]
    figure = go.Figure(go.Scatter(x=[], y=[]))
    on_paper(figure, look=look, height=look.high(QUARTERED))
    place = {"xref": "x", "yref": "y", "x": 0, "y": 0, "layer": "below"}
    figure.add_layout_image(
        source=picture_address(Image.fromarray(pixels)), sizex=wide, sizey=high, sizing="stretch", **place
    )
    figure.update_xaxes(visible=False, range=[0, wide], constrain="domain", constraintoward="left")
    figure.update_yaxes(visible=False, range=[high, 0], scaleanchor="x", constrain="domain", constraintoward="top")
    line = {"color": look.palette.raised, "width": 3}
    figure.add_shape(type="line", x0=wide / 2, x1=wide / 2, y0=0, y1=high, line=line)
    figure.add_shape(type="line", x0=0, x1=wide, y0=high / 2, y1=high / 2, line=line)
    for quarter in range(len(QUARTERS)):
        down, across = divmod(quarter, 2)
        figure.add_annotation(
            x=(0.25 + 0.5 * across) * wide,
            y=(0.25 + 0.5 * down) * high,
            text=HIDDEN if shares is None else f"{shares[quarter]:.1%}",
            showarrow=False,
            bgcolor=look.palette.raised,
            bordercolor=look.palette.accent if shares is not None and shares[quarter] == max(shares) else None,
            borderpad=4,
            font={"size": look.letters + 2, "color": look.palette.ink},
        )
    return figure


def bars(
    labels: Sequence[str],
    values: Sequence[float] | None,
    texts: Sequence[str],
    *,
    own: int | None = None,
    full: float | None = None,
    look: Look,
) -> go.Figure:
    """A bar for each label with its text behind it; without `values` equal bars with a sign in each.

    `own` is the place of the guess, whose bar is outlined; `full` the value at the end of the scale.
    """
    is_covered = values is None
    lengths = [1.0] * len(labels) if values is None else list(values)
    outlines = [2.5 if place == own else 0 for place in range(len(labels))]
    marker = {"color": look.palette.hair if is_covered else look.palette.map}
    figure = go.Figure(
        go.Bar(
            x=lengths,
            y=list(range(len(labels))),
            orientation="h",
            marker=marker | {"line": {"width": outlines, "color": look.palette.accent}},
            text=[HIDDEN] * len(labels) if is_covered else list(map(escape, texts)),
            textposition="inside" if is_covered else "outside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"size": look.letters, "color": look.palette.ink},
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    lines = [_lines(label) for label in labels]
    finite = [value for value in lengths if np.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite, *([full] if full else [])])
    room = (high - low) or 1.0
    ends = [0, 1] if is_covered else [low - 0.35 * room * (low < 0), high + 0.6 * room]
    return on_paper(
        figure,
        look=look,
        height=look.high(24 + max(BAR_ROW, 4 + round(1.3 * look.letters) * max(map(len, lines))) * len(labels)),
        bargap=0.25,
        xaxis={"visible": False, "range": ends},
        yaxis=names_axis(
            labels,
            ticktext=["<br>".join(map(escape, label)) for label in lines],
            tickfont={"color": look.palette.ink, "size": look.letters},
        ),
    )


def _lines(label: str) -> list[str]:
    """A label in lines of about LINE characters, the last of at most MOST_LINES cut off."""
    return textwrap.wrap(label, LINE, max_lines=MOST_LINES, placeholder=" …") or [label]
