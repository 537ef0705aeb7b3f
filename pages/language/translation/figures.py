"""Figures of this page: how well links agree, the error rate of every head."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.translation.alignment import Agreement
from core.zoo import TRANSLATION as TITLES
from dashboard.figures.curves import curves
from dashboard.figures.heat import heat
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look

# One hue for each model, the same in every section; by its name and by its title.
HUE = dict(zip(TITLES, (HUES[1], HUES[4], HUES[2]), strict=True))
HUE_OF_TITLE = {TITLES[name]: hue for name, hue in HUE.items()}

MEASURES = {"precision": "precision", "recall": "recall", "error_rate": "alignment error rate<br>(0 is best)"}


def agreement_bars(
    agreements: Mapping[str, Agreement], *, look: Look, hues: Mapping[str, str], pale: frozenset[str]
) -> go.Figure:
    """One group for each measure, one bar for each aligner; a measure that is not a number has no bar.

    `hues` gives aligners a colour by name, the others are grey; the bars of `pale` ones are hatched, to tell them from
    another of the same hue.
    """
    figure, places = go.Figure(), list(range(len(MEASURES)))
    for name, agreement in agreements.items():
        values = [getattr(agreement, measure) for measure in MEASURES]
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
    options: dict[str, Any] = {"tell": tell, "hues": hues, "marks": True, "labels": labels, "height": look.high(320)}
    figure = curves(np.arange(len(labels)), lines, look=look, x="", y=y, **options)
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
