"""The same vectors in two orders: a strip for each token, and a line from where it stood to where it stands."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard import theme
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

# Where the four parts stand, as shares of the width: vectors before, words and lines, vectors after, difference.
_PARTS = ((0.0, 0.26), (0.27, 0.59), (0.60, 0.86), (0.89, 1.0))
_ENDS = (0.34, 0.66)  # of the lines, as shares of the second part: the words stand outside


def strips(
    before: np.ndarray,
    after: np.ndarray,
    order: Sequence[int],
    *,
    labels: Sequence[str] | None,
    hues: Sequence[str],
    look: Look,
    titles: tuple[str, str, str],
    limit: float,
) -> go.Figure:
    """Vectors (token, channel) before a shuffle and after it, and how far the latter are from the shuffled former.

    `order[i]` is the token that stands at place i after the shuffle. `labels` and `hues` belong to the tokens before
    it; without labels the lines alone show who went where. All three maps share one signed scale up to `limit`.
    """
    order = list(order)
    names = [escape(label) for label in labels] if labels is not None else [str(place) for place in range(len(before))]
    moved = [names[token] for token in order]
    figure = go.Figure()
    for axis, values, rows, tell in (
        ("x", before, names, "%{customdata}: %{z:.3g}"),
        ("x3", after, moved, "%{customdata}, after the shuffle: %{z:.3g}"),
        ("x4", after - before[order], moved, "%{customdata}: the two differ by %{z:.3g}"),
    ):
        figure.add_trace(_strip(values, rows, axis, tell, limit, look))
    start, end = _ENDS if labels is not None else (0.02, 0.98)
    for place, token in enumerate(order):
        figure.add_trace(
            go.Scatter(
                x=[start, start + 0.08, end - 0.08, end],
                y=[token, token, place, place],
                xaxis="x2",
                mode="lines",
                line={"color": hues[token], "width": 2 if labels is not None else 1.2, "shape": "spline"},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    if labels is not None:
        figure.add_trace(_words(names, 0.0, "middle right", hues, look.letters))
        figure.add_trace(_words(moved, 1.0, "middle left", [hues[token] for token in order], look.letters))
    row = 1.75 * look.letters if labels is not None else 8
    on_paper(figure, look=look, height=round(44 + row * len(before)))
    figure.update_layout(margin={"t": 34}, showlegend=False)
    figure.update_yaxes(visible=False, range=[len(before) - 0.5, -0.5])
    for number, domain in enumerate(_PARTS, start=1):
        name = "xaxis" if number == 1 else f"xaxis{number}"
        figure.update_layout({name: {"domain": domain, "visible": False, "fixedrange": True, "anchor": "y"}})
    figure.update_layout(xaxis2={"range": [0, 1]})
    # An outline, so that a difference of nothing is seen to be a map too.
    for axis in ("x", "x3", "x4"):
        figure.add_shape(
            type="rect",
            xref=f"{axis} domain",
            yref="paper",
            x0=0,
            x1=1,
            y0=0,
            y1=1,
            line={"color": look.palette.hair, "width": 1},
        )
    # The last title is wider than its map: it grows to the left.
    places = ((_PARTS[0][0], "left"), (_PARTS[2][0], "left"), (_PARTS[3][1], "right"))
    for title, (x, anchor) in zip(titles, places, strict=True):
        figure.add_annotation(
            text=title, x=x, xanchor=anchor, xref="paper", y=1, yref="paper", yanchor="bottom", showarrow=False
        )
    return figure


def _strip(values: np.ndarray, rows: Sequence[str], axis: str, tell: str, limit: float, look: Look) -> go.Heatmap:
    return go.Heatmap(
        z=np.asarray(values, dtype=np.float32),
        customdata=np.repeat(np.array(rows, dtype=object)[:, None], values.shape[1], axis=1),
        xaxis=axis,
        zmin=-limit,
        zmax=limit,
        colorscale=theme.colorscale(theme.diverging(look.palette)),
        showscale=False,
        ygap=2 if len(values) <= 40 else 0,
        hovertemplate=f"{tell}<extra></extra>",
    )


def _words(names: Sequence[str], x: float, position: str, hues: Sequence[str], size: int) -> go.Scatter:
    return go.Scatter(
        x=[x] * len(names),
        y=list(range(len(names))),
        xaxis="x2",
        mode="text",
        text=list(names),
        textposition=position,
        textfont={"color": list(hues), "size": size},
        hoverinfo="skip",
        showlegend=False,
    )
