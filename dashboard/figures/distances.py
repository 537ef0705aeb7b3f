"""The mean attention distance of each head, one point for each, by layer (Dosovitskiy et al. 2020, figure 7, right)."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

SPREAD = 0.32  # of the room between two layers: heads stand side by side, so that equal ones are both seen


def distances(
    layers: Sequence[str],
    heads: Sequence[np.ndarray],
    *,
    even: float,
    look: Look,
    unit: str = "pixels",
    height: int = 380,
) -> go.Figure:
    """One point for each head, above its layer; `heads` holds an array (head) for each of `layers`.

    The short line is the mean of a layer, the dotted line (`even`) the distance of attention spread evenly.
    """
    names = [escape(layer) for layer in layers]
    places = [
        place + offset
        for place, distances_of_layer in enumerate(heads)
        for offset in side_by_side(len(distances_of_layer))
    ]
    labels = [
        (names[place], head)
        for place, distances_of_layer in enumerate(heads)
        for head in range(len(distances_of_layer))
    ]
    figure = go.Figure(
        go.Scatter(
            x=places,
            y=np.concatenate(heads),
            mode="markers",
            name="a head",
            marker={
                "color": look.palette.map,
                "size": 10,
                "opacity": 0.75,
                "line": {"color": look.palette.paper, "width": 1},
            },
            customdata=labels,
            hovertemplate="%{customdata[0]}, head %{customdata[1]}: %{y:.1f} " + escape(unit) + "<extra></extra>",
        )
    )
    means = [
        float(np.nanmean(distances_of_layer)) if np.isfinite(distances_of_layer).any() else float("nan")
        for distances_of_layer in heads
    ]
    tell = "%{customdata}, mean of its heads: %{y:.1f} " + escape(unit)
    figure.add_trace(level_bars(names, means, name="mean of a layer", tell=tell, look=look))
    largest = max(
        [
            even,
            *(
                float(np.nanmax(distances_of_layer))
                for distances_of_layer in heads
                if np.isfinite(distances_of_layer).any()
            ),
        ]
    )
    xaxis = {"tickvals": list(range(len(names))), "ticktext": names, "range": [-0.6, len(names) - 0.4]}
    on_paper(
        figure,
        look=look,
        height=height,
        x="layer",
        y=f"mean attention distance ({unit})",
        xaxis=xaxis | {"showgrid": False},
        yaxis={"range": [0, 1.12 * largest]},
    )
    figure.add_hline(
        y=even,
        line={"color": look.palette.soft, "width": 1.5, "dash": "dot"},
        annotation={
            "text": f"spread evenly: {even:.1f}",
            "font": {"color": look.palette.soft, "size": look.letters - 1},
        },
        annotation_position="top left",
    )
    return figure


def side_by_side(heads: int) -> np.ndarray:
    """The offsets of the points of so many heads from the middle of their layer."""
    return np.linspace(-SPREAD, SPREAD, heads) if heads > 1 else np.zeros(1)


def level_bars(names: Sequence[str], values: Sequence[float], *, name: str, tell: str, look: Look) -> go.Scatter:
    """A short horizontal line at the value of each layer, as wide as the points of its heads.

    `tell` is Plotly's template, where %{customdata} is the name of the layer.
    """
    half = SPREAD + 0.08
    return go.Scatter(
        x=[x for place in range(len(names)) for x in (place - half, place, place + half, None)],
        y=[y for value in values for y in (value, value, value, None)],
        mode="lines",
        name=name,
        line={"color": look.palette.accent, "width": 2.5},
        customdata=[layer for layer in names for _ in range(4)],
        hovertemplate=f"{tell}<extra></extra>",
    )
