"""A model's predictions as bars, beside those after a change."""

import plotly.graph_objects as go

from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import Look

AS_IT_IS, HEADS_ABLATED = "as it is", "heads ablated"  # runs, as choices and legends name them
AXIS_END = 1.3  # beyond 1 is room for the number behind the longest bar, also in a narrow column
LONGEST = 24  # characters of a label beside a bar; its whole text stands below the pointer


def prediction_bars(
    labels: list[str],
    before: list[float],
    after: list[float] | None = None,
    *,
    look: Look,
    changed: str = HEADS_ABLATED,
    hues: list[str] | None = None,
) -> go.Figure:
    """One bar for each label, its length the probability (0 to 1); a second one below it, if there is `after`.

    `changed` names the second bars; `hues` are the colours of the first ones, if each has its own.
    """
    figure = go.Figure()
    figure.add_trace(_bars(labels, before, AS_IT_IS, hues or look.palette.map))
    if after is not None:
        figure.add_trace(_bars(labels, after, changed, look.palette.accent))
    rows = len(labels) * (1 if after is None else 2)
    return on_paper(
        figure,
        look=look,
        height=70 + round(1.7 * look.letters) * rows,
        margin={"t": 8 if after is None else 34},
        bargap=0.3,
        showlegend=after is not None,
        legend={"y": 1, "traceorder": "normal"},
        xaxis={"range": [0, AXIS_END], "visible": False},
        yaxis=names_axis(
            map(_shortened, labels),
            tickfont={"color": look.palette.ink, "size": look.letters},
        ),
    )


def _shortened(label: str) -> str:
    """A label of at most LONGEST characters; a name among several, "tabby, tabby cat", ends before a comma."""
    if len(label) <= LONGEST:
        return label
    first, comma, _ = label.partition(", ")
    return first if comma and len(first) <= LONGEST else f"{label[: LONGEST - 1].rstrip()}…"


def _bars(labels: list[str], values: list[float], name: str, colour: str | list[str]) -> go.Bar:
    # Equal labels (two pieces that read the same) would be drawn as one bar: their places keep them apart.
    return go.Bar(
        x=values,
        y=list(range(len(labels))),
        name=name,
        orientation="h",
        marker={"color": colour, "line": {"width": 0}},
        text=[f"{value:.1%}" for value in values],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{customdata}: %{x:.2%}<extra></extra>",
        customdata=[escape(label) for label in labels],
    )
