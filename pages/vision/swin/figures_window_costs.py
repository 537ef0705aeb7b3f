"""What attention costs as the picture grows: equations as lines, what was measured as points over them."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look


def window_costs(
    pixels: Sequence[int],
    counted: Mapping[str, np.ndarray],
    measured: Mapping[str, np.ndarray],
    *,
    hues: Mapping[str, str],
    look: Look,
    y: str,
    shown: int | None = None,
    height: int = 380,
) -> go.Figure:
    """A line for each name in `counted`, and over it points where there is something in `measured` (NaN: nothing).

    Both axes are logarithmic: a power of the side is a straight line. `shown` marks the size of the shown picture.
    """
    figure = go.Figure()
    for name, values in counted.items():
        hue = hues[name]
        figure.add_trace(
            go.Scatter(
                x=list(pixels),
                y=values,
                name=f"{escape(name)}, counted",
                mode="lines",
                line={"color": hue, "width": 2.2},
                hovertemplate="%{fullData.name}: %{x} px, %{y:.3g}<extra></extra>",
            )
        )
        if name in measured:
            figure.add_trace(
                go.Scatter(
                    x=list(pixels),
                    y=measured[name],
                    name=f"{escape(name)}, measured",
                    mode="markers",
                    marker={"color": look.palette.paper, "size": 9, "line": {"color": hue, "width": 2}},
                    hovertemplate="%{fullData.name}: %{x} px, %{y:.3g}<extra></extra>",
                )
            )
    on_paper(figure, look=look, height=height, x="side of the picture (pixels)", y=y)
    named = [side for side in pixels if side.bit_count() == 1] or list(pixels)  # powers of two: evenly spaced
    ends = [float(np.log10(pixels[0])) - 0.02, float(np.log10(pixels[-1])) + 0.02]  # room for what is drawn at them
    figure.update_xaxes(type="log", range=ends, tickvals=named, ticktext=[str(side) for side in named], showgrid=False)
    figure.update_yaxes(type="log", dtick=1, tickformat=",~g")
    if shown is not None:
        figure.add_vline(x=shown, line={"color": look.palette.soft, "width": 1, "dash": "dot"})
    figure.update_layout(showlegend=len(figure.data) > 1, margin={"r": 16})
    return figure
