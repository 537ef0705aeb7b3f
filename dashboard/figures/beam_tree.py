"""The tree of a beam search, step by step from left to right."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, in_lines, on_paper
from dashboard.theme import Look

ROW = 2.0  # the distance between two candidates, in heights of a letter
LONGEST = 10  # letters of a label
STUB = 0.55  # of a column: the length of lines that come from steps that are not drawn


@dataclass(frozen=True)
class Node:
    """One candidate. `parent` is the index of its parent among the nodes; None if the step before is not drawn."""

    step: int
    parent: int | None
    label: str
    tell: str  # the sentence below the pointer
    is_kept: bool = True
    ended: bool = False  # set aside as a possible result
    winning: bool = False  # on the way to the result


def beam_tree(nodes: Sequence[Node], *, look: Look, hue: str, chosen: int) -> go.Figure:
    """The nodes from left to right, a column for each step; parents come before their children in `nodes`.

    The path to the result is a thick line of colour `hue`, straight where possible; kept candidates have solid lines,
    dropped ones pale dots. The column of the step `chosen` is shaded. No lines cross: children keep their parents'
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
    """The row of each node in its column, in the order of the parents; nodes on the path to the result have row 0."""
    rows = [0.0] * len(nodes)
    for step in sorted({node.step for node in nodes}):
        column = [place for place, node in enumerate(nodes) if node.step == step]
        column.sort(key=lambda place: (rows[parent] if (parent := nodes[place].parent) is not None else 0.0, place))
        spine = next((order for order, place in enumerate(column) if nodes[place].winning), 0)
        for order, place in enumerate(column):
            rows[place] = float(order - spine)
    return rows


def _kind(node: Node) -> str:
    return "winning" if node.winning else "kept" if node.is_kept else "dropped"


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
            parent_step = nodes[node.parent].step
            x += [parent_step, parent_step + 0.3, node.step - 0.3, node.step, None]
            y += [rows[node.parent]] * 2 + [row] * 2 + [None]
    line = {
        "winning": {"color": hue, "width": 4},
        "kept": {"color": look.palette.soft, "width": 1.6},
        "dropped": {"color": look.palette.soft, "width": 1.2, "dash": "dot"},
    }[kind]
    opacity = 0.75 if kind == "dropped" else 1
    return go.Scatter(x=x, y=y, mode="lines", line=line, opacity=opacity, hoverinfo="skip", name=kind)


def _points(nodes: Sequence[Node], rows: Sequence[float]) -> go.Scatter:
    """Invisible points below the labels, which carry the text under the pointer."""
    return go.Scatter(
        x=[node.step for node in nodes],
        y=list(rows),
        mode="markers",
        marker={"size": 18, "opacity": 0},
        customdata=[in_lines(node.tell) for node in nodes],
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
        "font": {"size": look.letters - 1 if node.is_kept else look.letters - 2, "color": ink},
        "bgcolor": look.palette.raised if node.is_kept else look.palette.paper,
        "bordercolor": border,
        "borderwidth": 2 if node.ended or node.winning else 1,
        "borderpad": 2,
        "opacity": 1 if node.is_kept else 0.8,
    }
