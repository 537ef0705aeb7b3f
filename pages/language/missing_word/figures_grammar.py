"""Links between words as arcs above and below a sentence, and relations against their best heads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import CLEAR, escape, on_paper
from dashboard.theme import Look

POINTS, PLACES = 25, 9  # of an arc, and those of them where the pointer finds it
ASIDE = 0.14  # how far beside the middle of its word an arc begins, in words
WIDTHS = ((0.25, 1.2), (0.5, 2.2), (1.01, 3.6))  # below this weight so many pixels
FAINT = 0.55  # the opacity of dotted arcs, so that the solid ones stand out
ROW = 25  # pixels: one relation
LONGEST = 14  # letters of a word below the arcs


@dataclass(frozen=True)
class Arc:
    """A link from one word to another, by their places; `tell` is the sentence below the pointer.

    `group` gives its colour, `strength` (0 to 1) its width; `sure` ones are solid, the others dotted.
    """

    start: int
    end: int
    group: str
    tell: str
    strength: float = 1.0
    sure: bool = True


def arcs(
    words: Sequence[str],
    above: Sequence[Arc],
    below: Sequence[Arc] | None,
    *,
    hues: Mapping[str, str],
    look: Look,
    height: int,
) -> go.Figure:
    """The words in a row with arcs above them and, if there are any to compare with, below them.

    An arrow points to the word at the end of an arc. `hues`: a colour for each group, in the order of the legend.
    """
    figure = go.Figure()
    for axis, side in (("y", above), ("y2", below or ())):
        tall = max([1.25 * _rise(arc) for arc in side], default=1.0)
        for number, (group, colour) in enumerate(hues.items()):
            own = [arc for arc in side if arc.group == group]
            # Of the same two words those of a later group are higher, so that none hides another.
            for sure, width in sorted({(arc.sure, _width(arc)) for arc in own}):
                alike = [arc for arc in own if (arc.sure, _width(arc)) == (sure, width)]
                line = {"color": colour, "width": width, "dash": "solid" if sure else "dot"}
                high = (1 + 0.06 * number) / tall
                figure.add_trace(_lines(alike, POINTS, high, axis, group, line=line, opacity=1 if sure else FAINT))
            if own:
                figure.add_trace(_heads(own, group, colour, axis))
                figure.add_trace(_hover_points(own, (1 + 0.06 * number) / tall, axis, group))
        for group in hues if axis == "y" else ():
            legend = {"x": [None], "y": [None], "mode": "lines", "line": {"color": hues[group], "width": 3}}
            figure.add_trace(go.Scatter(**legend, name=escape(group), legendgroup=group, showlegend=len(hues) > 1))
    axes: dict[str, Any] = {"yaxis": {"range": [0, 1.04], "visible": False}}
    if below is not None:
        axes = {
            "yaxis": {"range": [0, 1.04], "domain": [0.54, 1.0], "visible": False},
            "yaxis2": {"range": [1.04, 0], "domain": [0.0, 0.36], "visible": False, "anchor": "x"},
        }
    places = list(range(len(words)))
    letters = {"size": look.letters, "color": look.palette.ink}
    axes["xaxis"] = {
        "range": [-0.6, len(words) - 0.4],
        "tickvals": places,
        "ticktext": [escape(_short(word)) for word in words],
    }
    axes["xaxis"] |= {"tickfont": letters, "ticks": "", "showline": False, "anchor": "y"}
    return on_paper(figure, look=look, height=height, hovermode="closest", hoverdistance=12, **axes)


def _short(word: str) -> str:
    return word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"


def _lines(own: Sequence[Arc], points: int, high: float, axis: str, group: str, **more: Any) -> go.Scatter:
    """Arcs as one trace: half an ellipse each, with a gap after it; longer ones are higher."""
    across, up = list[float | None](), list[float | None]()
    for arc in own:
        first, last = _ends(arc)
        angle = np.linspace(np.pi, 0, points)
        across += [*((first + last) / 2 + (last - first) / 2 * np.cos(angle)).tolist(), None]
        up += [*(high * _rise(arc) * np.sin(angle)).tolist(), None]
    options: dict[str, Any] = {"mode": "lines", "hoverinfo": "skip"} | more
    return go.Scatter(x=across, y=up, yaxis=axis, legendgroup=group, showlegend=False, **options)


def _hover_points(own: Sequence[Arc], high: float, axis: str, group: str) -> go.Scatter:
    """The sentences of arcs, at a few places along each: Plotly says nothing between the points of a line."""
    texts = [escape(arc.tell) for arc in own for _ in range(PLACES + 1)]
    markers = {"mode": "markers", "marker": {"size": 14, "opacity": 0}, "hoverinfo": "text"}
    return _lines(own, PLACES, high, axis, group, text=texts, hovertemplate="%{text}<extra></extra>", **markers)


def _ends(arc: Arc) -> tuple[float, float]:
    """Where an arc begins and ends: a little beside the middle of its words, on the side of the other."""
    aside = ASIDE if arc.end > arc.start else -ASIDE
    return arc.start + aside, arc.end - aside


def _rise(arc: Arc) -> float:
    """How high an arc is: more for a longer one, but not as much as it is longer."""
    return float(abs(arc.end - arc.start) ** 0.7)


def _width(arc: Arc) -> float:
    return next(width for most, width in WIDTHS if arc.strength < most)


def _heads(ends: Sequence[Arc], group: str, colour: str, axis: str) -> go.Scatter:
    """The arrows' heads, where arcs end."""
    return go.Scatter(
        x=[_ends(arc)[1] for arc in ends],
        y=[0.035] * len(ends),
        yaxis=axis,
        mode="markers",
        marker={"color": colour, "size": 9, "symbol": "triangle-down" if axis == "y" else "triangle-up"},
        hoverinfo="skip",
        legendgroup=group,
        showlegend=False,
        cliponaxis=False,
    )


@dataclass(frozen=True)
class Dot:
    """A relation: what its best head finds, and what it is compared with; shares of 0 to 1, None: not known."""

    name: str
    share: float
    offset_share: float
    published: float | None
    tell: str


def relation_dots(dots: Sequence[Dot], *, look: Look, best: str, offset: str, published: str) -> go.Figure:
    """A row for each relation, the first on top: its best head, the best fixed distance, and a published figure.

    The last three arguments name the marks in the legend.
    """
    rows = list(range(len(dots)))
    marks = (
        (best, [dot.share for dot in dots], "circle", look.palette.map),
        (offset, [dot.offset_share for dot in dots], "line-ns-open", look.palette.ink),
        (published, [dot.published for dot in dots], "diamond-open", look.palette.accent),
    )
    figure = go.Figure(
        go.Scatter(
            x=[value for dot in dots for value in (dot.offset_share, dot.share, None)],
            y=[value for row in rows for value in (row, row, None)],
            mode="lines",
            line={"color": look.palette.hair, "width": 4},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    for name, values, symbol, colour in marks:
        if any(value is not None for value in values):
            figure.add_trace(
                go.Scatter(
                    x=values,
                    y=rows,
                    mode="markers",
                    marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2, "color": colour}},
                    text=[escape(dot.tell) for dot in dots],
                    hovertemplate="%{text}<extra></extra>",
                    name=name,
                )
            )
    return on_paper(
        figure,
        look=look,
        height=round(80 + ROW * look.letters / 14 * len(dots)),
        x="share found",
        hovermode="closest",
        plot_bgcolor=CLEAR,
        xaxis={"range": [-0.04, 1.06], "tickformat": ".0%", "showgrid": True},
        yaxis={
            "range": [len(dots) - 0.4, -0.6],
            "tickvals": rows,
            "ticktext": [escape(dot.name) for dot in dots],
            "tickfont": {"size": look.letters - 1, "color": look.palette.ink},
            "showgrid": False,
        },
    )
