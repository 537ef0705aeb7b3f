"""Figures of this page: the tree of a beam search, how well links agree, the error rate of every head."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.translation.alignment import Agreement
from dashboard.figures.curves import curves
from dashboard.figures.heat import heat
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look
from pages.language.translation.words import TITLES

# One hue for each model, the same in every section; by its name and by its title.
HUE = dict(zip(TITLES, (HUES[1], HUES[4], HUES[2]), strict=True))
HUE_OF_TITLE = {TITLES[name]: hue for name, hue in HUE.items()}

ROW = 2.0  # the distance between two candidates, in heights of a letter
LONGEST = 10  # letters of a label
STUB = 0.55  # of a column: how far the lines reach that come from steps that are not shown
MEASURES = {"precision": "precision", "recall": "recall", "error_rate": "alignment error rate<br>(0 is best)"}


@dataclass(frozen=True)
class Node:
    """One candidate. `parent` is its place among the nodes; None where the step before is not drawn."""

    step: int
    parent: int | None
    label: str
    tell: str  # the sentence below the pointer
    kept: bool = True
    ended: bool = False  # set aside as a possible result
    winning: bool = False  # on the way to the result


def beam_tree(nodes: Sequence[Node], *, look: Look, hue: str, chosen: int) -> go.Figure:
    """The nodes from left to right, a column for each step; parents come before their children in `nodes`.

    The way to the result is a thick line of colour `hue`, straight where it can be; kept candidates have solid lines,
    dropped ones pale dots. The column of the step `chosen` is shaded. Nothing crosses: children keep their parents'
    order.
    """
    rows = rows_of(nodes)
    steps = sorted({node.step for node in nodes})
    figure = go.Figure()
    # One trace for each kind of line, the strongest on top.
    for kind in ("dropped", "kept", "winning"):
        figure.add_trace(_lines(nodes, rows, kind, look, hue))
    figure.add_trace(_points(nodes, rows))
    low, high = min(rows, default=0.0), max(rows, default=0.0)
    on_paper(figure, look=look, height=round(56 + ROW * look.letters * (high - low + 1)))
    for node, row in zip(nodes, rows, strict=True):
        figure.add_annotation(**_label(node, row, look, hue))
    figure.add_vrect(
        x0=chosen - 0.46, x1=chosen + 0.46, fillcolor=look.palette.hair, opacity=0.35, line_width=0, layer="below"
    )
    figure.update_layout(showlegend=False, hovermode="closest")
    figure.update_yaxes(visible=False, range=[high + 0.8, low - 0.8])
    figure.update_xaxes(
        range=[steps[0] - (0.5 if steps[0] == 0 else STUB + 0.05), steps[-1] + 0.55],
        side="top",
        showgrid=False,
        tickvals=steps,
        ticktext=[f"step {step}" if step else "start" for step in steps],
    )
    return figure


def rows_of(nodes: Sequence[Node]) -> list[float]:
    """Where each node stands in its column: below its elders, and the way to the result always at 0."""
    rows = [0.0] * len(nodes)
    for step in sorted({node.step for node in nodes}):
        column = [place for place, node in enumerate(nodes) if node.step == step]
        column.sort(key=lambda place: (rows[parent] if (parent := nodes[place].parent) is not None else 0.0, place))
        spine = next((order for order, place in enumerate(column) if nodes[place].winning), 0)
        for order, place in enumerate(column):
            rows[place] = float(order - spine)
    return rows


def _kind(node: Node) -> str:
    return "winning" if node.winning else "kept" if node.kept else "dropped"


def _lines(nodes: Sequence[Node], rows: Sequence[float], kind: str, look: Look, hue: str) -> go.Scatter:
    x: list[float | None] = []
    y: list[float | None] = []
    for node, row in zip(nodes, rows, strict=True):
        if _kind(node) != kind or node.step == 0:
            continue
        if node.parent is None:
            x += [node.step - STUB, node.step, None]
            y += [row, row, None]
        else:
            begin = nodes[node.parent].step
            x += [begin, begin + 0.3, node.step - 0.3, node.step, None]
            y += [rows[node.parent]] * 2 + [row] * 2 + [None]
    line = {
        "winning": {"color": hue, "width": 4},
        "kept": {"color": look.palette.soft, "width": 1.6},
        "dropped": {"color": look.palette.soft, "width": 1.2, "dash": "dot"},
    }[kind]
    opacity = 0.5 if kind == "dropped" else 1
    return go.Scatter(x=x, y=y, mode="lines", line=line, opacity=opacity, hoverinfo="skip", name=kind)


def _points(nodes: Sequence[Node], rows: Sequence[float]) -> go.Scatter:
    """Invisible below the labels, but they carry the sentences; Plotly breaks no lines itself."""
    return go.Scatter(
        x=[node.step for node in nodes],
        y=list(rows),
        mode="markers",
        marker={"size": 18, "opacity": 0},
        customdata=["<br>".join(map(escape, node.tell.split("\n"))) for node in nodes],
        hovertemplate="%{customdata}<extra></extra>",
        name="candidates",
    )


def _label(node: Node, row: float, look: Look, hue: str) -> dict:
    text = escape(node.label if len(node.label) <= LONGEST else f"{node.label[: LONGEST - 1]}…")
    ink, border = {
        "winning": (look.palette.ink, hue),
        "kept": (look.palette.ink, look.palette.soft),
        "dropped": (look.palette.soft, look.palette.hair),
    }[_kind(node)]
    return {
        "x": node.step,
        "y": row,
        "text": f"<b>{text}</b>" if node.winning else text,
        "showarrow": False,
        "font": {"size": look.letters - 1 if node.kept else look.letters - 2, "color": ink},
        "bgcolor": look.palette.raised if node.kept else look.palette.paper,
        "bordercolor": border,
        "borderwidth": 2 if node.ended or node.winning else 1,
        "borderpad": 2,
        "opacity": 1 if node.kept else 0.8,
    }


def agreement_bars(
    agreements: Mapping[str, Agreement], *, look: Look, hues: Mapping[str, str], pale: frozenset[str]
) -> go.Figure:
    """One group for each measure, one bar for each aligner; a measure that is not a number has no bar.

    `hues` gives aligners a colour by name, the others are grey; the bars of `pale` ones are hatched, to tell them from
    another of the same hue.
    """
    figure, places = go.Figure(), list(range(len(MEASURES)))
    for name, each in agreements.items():
        values = [getattr(each, measure) for measure in MEASURES]
        hatch = {"shape": "/" if name in pale else "", "fillmode": "overlay", "solidity": 0.35}
        colour = hues.get(name, look.palette.soft)
        figure.add_bar(
            x=places,
            y=[None if value != value else value for value in values],
            name=escape(name),
            marker={"color": colour, "line": {"width": 0}, "pattern": hatch | {"fgcolor": look.palette.paper}},
            hovertemplate="%{fullData.name}: %{y:.1%}<extra></extra>",
        )
    on_paper(figure, look=look, height=300)
    figure.update_layout(bargap=0.25, barmode="group", showlegend=True)
    figure.update_xaxes(showgrid=False, tickvals=places, ticktext=list(MEASURES.values()))
    return figure.update_yaxes(range=[0, 1.02], tickformat=".0%", tickvals=[0, 0.25, 0.5, 0.75, 1])


def by_word(
    labels: Sequence[str],
    lines: Mapping[str, np.ndarray],
    *,
    look: Look,
    y: str,
    tell: str,
    hues: Mapping[str, str],
    from_zero: bool = False,
) -> go.Figure:
    """A line for each name over the words of a sentence; `tell` is Plotly's template for what the pointer says."""
    shown: dict[str, Any] = {"tell": tell, "hues": hues, "marks": True, "labels": labels, "height": look.high(320)}
    figure = curves(np.arange(len(labels)), lines, look=look, x="", y=y, **shown)
    return figure.update_yaxes(rangemode="tozero" if from_zero else "normal")


def head_rates(
    rates: Float[np.ndarray, "layer head"], layers: list[str], heads: list[str], chosen: tuple[int, int], look: Look
) -> go.Figure:
    """Alignment error rates: full colour is what aligns, the number in a cell is the rate; the chosen is outlined."""
    figure = heat(
        1 - rates,
        look=look,
        x="head",
        y="layer",
        rows=layers,
        columns=heads,
        limits=(0, 1),
        tell="layer %{y}, head %{x}: alignment error rate %{customdata:.1%}",
        height=(90 if look.presented else 62) * len(rates) + 80,
    )
    # The tick labels are words, so the sentence below the pointer is right for the mean as well.
    figure.update_traces(
        customdata=rates,
        text=[[f"{rate:.0%}" for rate in row] for row in rates],
        texttemplate="%{text}",
        textfont={"size": look.letters},
        showscale=False,
    )
    layer, head = chosen
    corners = {"x0": head - 0.5, "x1": head + 0.5, "y0": layer - 0.5, "y1": layer + 0.5}
    return figure.add_shape(type="rect", **corners, line={"color": look.palette.accent, "width": 3})
