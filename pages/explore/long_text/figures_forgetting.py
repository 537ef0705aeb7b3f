"""Figures of Forgetting: losses along the text, and the map of what is kept and lost."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from core.long_context.cache_rules import RULES
from core.long_context.forgetting import KeptMap
from dashboard.figures.curves import curves
from dashboard.figures.paper import on_paper
from dashboard.theme import HUES, Look

FULL = "Full cache"
HUE = dict(zip(RULES, HUES, strict=False))
POINTS = 600  # of a line at most
STRONGEST = 0.995  # quantile of the lost attention at which the scale ends
TELL = (
    "queries from %{y:,}, keys from %{x:,}<br>%{customdata[0]:.0%} of the pairs still kept<br>attention of a query: "
    "%{customdata[1]:.2%} kept, %{customdata[2]:.2%} lost<extra></extra>"
)


def smoothing(count: int) -> int:
    """How many tokens a line averages over."""
    return max(9, count // 12)


def running(values: np.ndarray, width: int) -> np.ndarray:
    """The mean of so many values around each; of fewer at the ends."""
    kernel = np.ones(min(width, len(values)))
    return np.convolve(values, kernel, mode="same") / np.convolve(np.ones(len(values)), kernel, mode="same")


def along_the_text(
    full: np.ndarray, losses: Mapping[str, np.ndarray], *, budget: int, rises: bool, look: Look
) -> go.Figure:
    """The loss of each token by position, one line for each rule: above the full cache (`rises`), or as it is."""
    width = smoothing(len(full))
    places = np.linspace(0, len(full) - 1, min(len(full), POINTS)).round().astype(int)
    lines = {FULL: np.zeros_like(full) if rises else full} | {
        name: values - full if rises else values for name, values in losses.items()
    }
    figure = curves(
        places + 1,
        {name: running(values, width)[places] for name, values in lines.items()},
        look=look,
        x="position in the text",
        y="loss above the full cache (bits)" if rises else "loss (bits)",
        tell="%{fullData.name}, around token %{x:,}: %{y:.2f} bits",
        hues={FULL: look.palette.soft} | HUE,
        height=look.high(330),
    )
    if budget < len(full):
        figure.add_vline(x=budget, line={"color": look.palette.soft, "width": 1, "dash": "dot"})
    return figure


def end_of_scale(cells: KeptMap) -> float:
    """The lost attention of a cell at which the ink is full; 0 where nothing is lost."""
    lost = cells.lost_attention.numpy()
    positive = lost[np.nan_to_num(lost) > 0]
    return float(np.quantile(positive, STRONGEST)) if positive.size else 0.0


def map_of_kept(cells: KeptMap, *, step: int, look: Look) -> go.Figure:
    """The kept entries of a head as a tint, the attention lost as ink above it, and a line at a step."""
    parts = (cells.entries, cells.kept_attention, cells.lost_attention)
    entries, kept_attention, lost_attention = (part.numpy() for part in parts)
    places = np.arange(len(entries)) * cells.block
    shared = {"x": places, "y": places, "showscale": False}
    tint, ink = look.themed(HUES[4]), look.themed(HUES[1])
    figure = go.Figure(
        [
            go.Heatmap(z=np.round(entries, 3), zmin=0, zmax=1, colorscale=_ink(tint, 0.45), hoverinfo="skip", **shared),
            go.Heatmap(
                z=np.round(lost_attention, 5),
                zmin=0,
                zmax=end_of_scale(cells) or 1,
                colorscale=_ink(ink, 1.0, root=True),
                customdata=np.round(np.stack([entries, kept_attention, lost_attention], axis=-1), 4),
                hovertemplate=TELL,
                **shared,
            ),
        ]
    )
    figure.add_hline(y=step, line={"color": look.palette.ink, "width": 1})
    edges = [-cells.block / 2, float(places[-1]) + cells.block / 2]
    xaxis, yaxis = ({"showgrid": False, "range": ends} for ends in (edges, edges[::-1]))
    return on_paper(figure, look=look, height=look.high(440), x="key", y="query (step)", xaxis=xaxis, yaxis=yaxis)


def _ink(colour: str, strength: float, *, root: bool = False) -> list[list]:
    """A colour scale from transparent to a colour; with `root`, weak values are raised to be seen."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    places = np.linspace(0, 1, 12)
    return [
        [float(place), f"rgba({red},{green},{blue},{strength * (place**0.5 if root else place):.3f})"]
        for place in places
    ]
