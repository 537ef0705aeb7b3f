"""Models or training runs as points of two quantities, one colour and mark for each family, with fronts and fits."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard.figures.label_positions import name_positions, shares, span
from dashboard.figures.paper import escape, in_lines, on_paper
from dashboard.theme import Look

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star", "triangle-down", "pentagon")
MOST_NAMED = 14  # points: more of them have no names beside them
CROWD = 600  # points: from here on they are translucent, without outlines
WIDTH = 700.0  # pixels of the drawing for which names are placed: narrower than most windows
MARGINS = 120.0  # pixels above and below the drawing
ROOM_X, ROOM_Y = 0.12, 0.08  # for names at the edges, as shares of the range
ROOM_WITHOUT_NAMES = 0.03  # the same without names

Ticks = Literal["B", "power", "year", "none"]
Values: TypeAlias = pd.Series | np.ndarray


@dataclass(frozen=True)
class Axis:
    """Title and scale of an axis; `ticks` are Plotly's: "B" writes thousand, million and billion as k, M and B."""

    title: str
    log: bool = False
    ticks: Ticks = "none"


@dataclass(frozen=True)
class Line:
    """A line through the points: its places, and a band around it where `low` and `high` are given.

    `tell` is Plotly's template for the sentence below the pointer; `in_range`: whether axes reach to the line's ends.
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    shape: Literal["linear", "hv", "vh"] = "linear"
    dash: Literal["solid", "dash", "dot"] = "solid"
    colour: str = ""
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    tell: str = ""
    in_range: bool = False


def scatter(
    points: pd.DataFrame,
    *,
    x: Axis,
    y: Axis,
    hues: Mapping[str, str],
    look: Look,
    lines: Sequence[Line] = (),
    chosen: Sequence[int] = (),
    footer: str = "",
    symbols: Sequence[str] = SYMBOLS,
    width: float = WIDTH,
    height: int = 520,
) -> go.Figure:
    """One mark for each row of `points`, which has x, y, family, label, short and tell; a click returns its index.

    `short` is the name beside a mark if there is room, `tell` the text below the pointer, under the `label` and above
    the common `footer`. The rows `chosen` (by index) have a ring and their names. `hues` gives families their
    colours, in the order of the legend and of `symbols`. Names are placed for a drawing of `width` pixels.
    """
    figure = go.Figure()
    on_paper(figure, look=look, height=height, x=x.title, y=y.title)
    for line in lines:
        _draw(figure, line, look)
    has_names = len(points) <= MOST_NAMED and bool(points.short.any())
    sides = _sides(points, x, y, width, height - MARGINS, look.letters) if has_names else {}
    for number, (family, hue) in enumerate(hues.items()):
        members = points[points.family == family]
        if len(members):
            marks = _marks(members, symbols[number % len(symbols)], hue, look, count=len(points), footer=footer)
            if has_names:
                marks.update(
                    mode="markers+text",
                    text=[escape(short) if sides[row] else "" for row, short in members.short.items()],
                    textposition=[sides[row] or "top center" for row in members.index],
                    textfont={"size": look.letters - 3, "color": look.palette.ink},
                )
            figure.add_trace(marks)
    if rings := [row for row in chosen if row in points.index]:
        figure.add_trace(_rings(points.loc[rings], look))
        if not has_names:
            middle = sum(_ends(points.x, x)) / 2
            for row, offset in _name_offsets(points.y[rings]).items():
                _name(figure, points.loc[row], x, y, middle=middle, offset=offset, look=look)
    figure.update_layout(margin={"t": 34}, hovermode="closest")
    full_lines = [line for line in lines if line.in_range]
    _scale(
        figure.update_xaxes,
        x,
        [points.x, *(line.x for line in full_lines)],
        room=ROOM_X if has_names else ROOM_WITHOUT_NAMES,
    )
    _scale(
        figure.update_yaxes,
        y,
        [points.y, *(line.y for line in full_lines)],
        room=ROOM_Y if has_names else ROOM_WITHOUT_NAMES,
    )
    return figure


def _marks(members: pd.DataFrame, symbol: str, hue: str, look: Look, *, count: int, footer: str) -> go.Scatter:
    are_few = count <= 4 * MOST_NAMED
    opacity = 0.95 if are_few else 0.85 if count < CROWD else 0.7
    return go.Scatter(
        x=members.x.to_numpy(),
        y=members.y.to_numpy(),
        name=escape(str(members.family.iloc[0])),
        mode="markers",
        marker={
            "size": 11 if are_few else look.letters / 2,
            "color": hue,
            "symbol": symbol,
            "opacity": opacity,
            # Many marks are translucent instead: an outline would double the time that it takes to draw them.
            "line": {"width": 0.6 if count < CROWD else 0, "color": look.palette.paper}
            if not symbol.endswith("-open")
            else {"width": 2},
        },
        # A click selects, but the other marks shall not fade: rings show what is chosen.
        selected={"marker": {"opacity": opacity}},
        unselected={"marker": {"opacity": opacity}},
        cliponaxis=False,
        # An array: Plotly copies and checks a list cell by cell.
        hovertext=np.array(
            [
                f"<b>{escape(label)}</b><br>{in_lines(tell)}"
                for label, tell in zip(members.label.tolist(), members.tell.tolist(), strict=True)
            ],
            dtype=object,
        ),
        customdata=members.index.tolist(),
        hovertemplate=f"%{{hovertext}}{'<br>' if footer else ''}{escape(footer)}<extra></extra>",
    )


def _rings(rows: pd.DataFrame, look: Look) -> go.Scatter:
    return go.Scatter(
        x=rows.x.to_numpy(),
        y=rows.y.to_numpy(),
        mode="markers",
        marker={
            "size": look.letters + 3,
            "symbol": "circle-open",
            "color": look.palette.accent,
            "line": {"width": 2.5},
        },
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )


def _name(figure: go.Figure, row: pd.Series, x: Axis, y: Axis, *, middle: float, offset: float, look: Look) -> None:
    """Draw a name in a box at a ring, towards the middle of the figure and clear of the point."""
    across = math.log10(row.x) if x.log else row.x
    figure.add_annotation(
        x=across,
        y=math.log10(row.y) if y.log else row.y,
        text=escape(row.label),
        ax=36 if across < middle else -36,
        ay=offset,
        xanchor="left" if across < middle else "right",
        arrowcolor=look.palette.accent,
        arrowhead=0,
        arrowwidth=1.5,
        standoff=look.letters / 2 + 2,
        bgcolor=look.palette.raised,
        bordercolor=look.palette.accent,
        borderpad=3,
        font={"size": look.letters - 2, "color": look.palette.ink},
    )


def _name_offsets(heights: pd.Series) -> dict[int, float]:
    """The vertical offset of each name from its ring, in pixels: the upper half goes up, so that no two cross."""
    order = heights.sort_values(ascending=False, kind="stable").index.tolist()
    above = len(order) // 2
    steps = [place - above if place < above else place - above + 1 for place in range(len(order))]
    return {row: math.copysign(10 + 26 * abs(step), step) for row, step in zip(order, steps, strict=True)}


def _draw(figure: go.Figure, line: Line, look: Look) -> None:
    colour = line.colour or look.palette.soft
    shared = {"mode": "lines", "legendgroup": line.name}
    if line.low is not None and line.high is not None:
        edge = {**shared, "line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"}
        figure.add_trace(go.Scatter(x=line.x, y=line.low, **edge))
        figure.add_trace(go.Scatter(x=line.x, y=line.high, fill="tonexty", fillcolor=_faint(colour), **edge))
    figure.add_trace(
        go.Scatter(
            x=line.x,
            y=line.y,
            name=escape(line.name),
            line={"width": 2, "color": colour, "shape": line.shape, "dash": line.dash},
            showlegend=bool(line.name),
            **({"hovertemplate": f"{line.tell}<extra></extra>"} if line.tell else {"hoverinfo": "skip"}),
            **shared,
        )
    )


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.16)"


def _scale(update: Callable, axis: Axis, values: Sequence[Values], *, room: float) -> None:
    """Set an axis' range with room for names at both ends, and readable ticks."""
    positions = np.concatenate([_on_axis(array, axis) for array in values])
    extent = float(positions.max() - positions.min())
    update(
        type="log" if axis.log else "linear",
        range=span(positions, room),
        exponentformat="none" if axis.ticks == "year" else axis.ticks,
        separatethousands=axis.ticks != "year",
    )
    if axis.ticks == "year":
        update(dtick=next((step for step in (1, 2, 5, 10) if extent <= 8 * step), 20), tick0=2000)
    if axis.log:
        # Below two powers of ten, ticks at 2 and 5 too; for many powers, only as many ticks as fit.
        update(dtick="D2" if extent < 2 else math.ceil(extent / 9))


def _ends(values: pd.Series, axis: Axis) -> tuple[float, float]:
    positions = _on_axis(values, axis)
    return float(positions.min()), float(positions.max())


def _sides(points: pd.DataFrame, x: Axis, y: Axis, width: float, height: float, size: int) -> dict[int, str]:
    """The position of each name at its mark; "" if there is no room."""
    across, up = (
        shares(positions := _on_axis(values, axis), span(positions, room))
        for values, axis, room in ((points.x, x, ROOM_X), (points.y, y, ROOM_Y))
    )
    sides = name_positions(across, up, points.short.tolist(), width=width, height=height, size=size - 3)
    return dict(zip(points.index.tolist(), sides, strict=True))


def _on_axis(values: Values, axis: Axis) -> np.ndarray:
    """Values in the units of Plotly's axis: logarithms on a logarithmic one."""
    numbers = np.asarray(values, dtype=float)
    return np.log10(numbers) if axis.log else numbers
