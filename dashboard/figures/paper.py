"""What every figure shares: transparent paper, the page's ink, quiet axes, letters that a projector can show."""

from collections.abc import Iterable
from typing import Any

import plotly.graph_objects as go
import plotly.io

from dashboard.theme import LETTERS, Look

plotly.io.templates.default = None  # no figure of ours keeps it, and to give it to each took a fifth of the time
CLEAR = "rgba(0,0,0,0)"


def on_paper(figure: go.Figure, *, look: Look, height: int, x: str = "", y: str = "", **own: Any) -> go.Figure:
    """Give a figure the look of the atlas; `x` and `y` name its axes, `height` is in pixels.

    `own`: settings of its layout that are not those of all figures. To update them later takes Plotly three times as
    long as all the rest.
    """
    letters = {"family": LETTERS, "color": look.palette.ink, "size": look.letters}
    drawn = figure.layout.to_plotly_json()
    drawn.pop("template", None)
    shared: dict[str, Any] = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8, "pad": 8},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": letters,
        "hoverlabel": {"bgcolor": look.palette.raised, "bordercolor": look.palette.hair, "font": letters},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": look.letters}},
    }
    for axis in {"xaxis", "yaxis"} | {name for name in drawn if name[1:5] == "axis"}:
        shared[axis] = _axis(look, upright=axis.startswith("y"))
    for axis, title in (("xaxis", x), ("yaxis", y)):
        # An empty title would be given room: an axis without a name has none.
        if title:
            shared[axis]["title"]["text"] = title
    # Assigned at once: Plotly takes 12 ms to update these in an existing layout, and 2 ms to take a new one.
    figure.layout = _drawn(_over(_over(drawn, shared), own), look)
    for trace in figure.data:
        for part in _COLOURED:
            if part in trace and trace[part].color is not None:
                trace[part].color = _drawn(trace[part].color, look)
    return figure


_COLOURED = ("line", "marker", "textfont", "error_x", "error_y")  # what of a trace may have a hue


def _drawn(part: Any, look: Look) -> Any:
    """The same colour, colours or nested settings with each hue as this paper shows it."""
    if isinstance(part, str):
        return look.drawn(part)
    if isinstance(part, dict):
        return {name: _drawn(value, look) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return type(part)(_drawn(each, look) for each in part)
    return part


def _axis(look: Look, *, upright: bool) -> dict:
    """Quiet lines in the colour of rules: beside the numbers of an upright axis, none from an axis along the page."""
    return {
        "gridcolor": look.palette.hair,
        "linecolor": look.palette.hair,
        **({} if upright else {"showgrid": False}),
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
        "tickfont": {"color": look.palette.soft, "size": look.letters - 1},
        "title": {"standoff": 24 if upright else 20, "font": {"size": look.letters, "color": look.palette.soft}},
    }


def _over(below: dict, above: dict) -> dict:
    """Nested settings, with those `above` before those `below`."""
    both = {**below, **above}
    inner = {name for name in below.keys() & above.keys() if isinstance(below[name], dict)}
    return both | {name: _over(below[name], above[name]) for name in inner}


def names_axis(names: Iterable[str], **own: Any) -> dict:
    """An upright axis of names, from the top down; bars or points lie at 0, 1, 2 … so that equal names stay apart."""
    labels = [escape(name) for name in names]
    places = {} if "range" in own else {"autorange": "reversed"}
    lines = {"showgrid": False, "showline": False, "ticksuffix": "  "}
    return {"tickvals": list(range(len(labels))), "ticktext": labels} | places | lines | own


def escape(label: str) -> str:
    """Plotly reads a few HTML tags in labels: a visitor's token must not be one."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def in_lines(label: str) -> str:
    """Escaped, and broken where it has a new line: Plotly breaks none itself."""
    return escape(label).replace("\n", "<br>")
