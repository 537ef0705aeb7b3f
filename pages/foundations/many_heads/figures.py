"""How long the contributions are that add up to a layer's output, as bars."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look

ROOM = 1.75  # the axis ends at so many times the longest bar: the words beside the bars need the rest


def length_bars(
    names: Sequence[str],
    lengths: Sequence[float],
    cosines: Sequence[float],
    *,
    look: Look,
    height: int,
) -> go.Figure:
    """One bar for each vector, the first on top, the last one being the sum of the others.

    `cosines` are those to the sum, NaN for a vector without a direction; a negative one is drawn in the colour of
    negative values, because that vector makes the sum shorter.
    """
    colours = [look.palette.negative if cosine < 0 else look.palette.map for cosine in cosines]
    colours[-1] = look.palette.ink
    beside = [f"{length:.2f}  (cos {cosine:+.2f})" for length, cosine in zip(lengths, cosines, strict=True)]
    beside[-1] = f"{lengths[-1]:.2f}"
    figure = go.Figure(
        go.Bar(
            x=list(lengths),
            y=list(range(len(names))),
            orientation="h",
            marker={"color": colours, "line": {"width": 0}},
            text=[words.replace("-", "−").replace("cos +nan", "no direction") for words in beside],
            textposition="outside",
            textfont={"size": look.letters - 2},
            cliponaxis=False,
            customdata=[[escape(name), cosine] for name, cosine in zip(names, cosines, strict=True)],
            hovertemplate="%{customdata[0]}: length %{x:.3f}, cosine to the sum %{customdata[1]:.3f}<extra></extra>",
        )
    )
    on_paper(figure, look=look, height=height, x="length of the vector")
    figure.update_layout(bargap=0.35)
    figure.update_xaxes(range=[0, ROOM * max(lengths) or 1], showgrid=False, tickvals=[0])
    figure.update_yaxes(
        range=[len(names) - 0.5, -0.5],
        showgrid=False,
        tickvals=list(range(len(names))),
        ticktext=[escape(name) for name in names],
    )
    return figure
