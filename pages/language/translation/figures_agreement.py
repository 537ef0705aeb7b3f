"""Precision, recall and alignment error rate of several aligners, as groups of bars."""

from collections.abc import Mapping

import plotly.graph_objects as go

from core.translation.alignment import Agreement
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

MEASURES = {
    "precision": "precision",
    "recall": "recall",
    "error_rate": "alignment error rate<br>(0 is best)",
}


def agreement_bars(
    agreements: Mapping[str, Agreement],
    *,
    look: Look,
    hues: Mapping[str, str],
    pale: frozenset[str] = frozenset(),
    height: int = 300,
) -> go.Figure:
    """One group for each measure, one bar for each aligner; a measure that is not a number has no bar.

    `hues` gives aligners a colour by name, the others are grey; the bars of `pale` ones are hatched, to tell them from
    another of the same hue.
    """
    figure = go.Figure()
    for name, each in agreements.items():
        values = [getattr(each, measure) for measure in MEASURES]
        figure.add_trace(
            go.Bar(
                x=list(range(len(MEASURES))),
                y=[None if value != value else value for value in values],
                name=escape(name),
                marker={
                    "color": hues.get(name, look.palette.soft),
                    "line": {"width": 0},
                    "pattern": {
                        "shape": "/" if name in pale else "",
                        "fillmode": "overlay",
                        "fgcolor": look.palette.paper,
                        "solidity": 0.35,
                    },
                },
                hovertemplate="%{fullData.name}: %{y:.1%}<extra></extra>",
            )
        )
    on_paper(figure, look=look, height=height)
    figure.update_layout(bargap=0.25, barmode="group", showlegend=True)
    figure.update_xaxes(showgrid=False, tickvals=list(range(len(MEASURES))), ticktext=list(MEASURES.values()))
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%", tickvals=[0, 0.25, 0.5, 0.75, 1])
    return figure
