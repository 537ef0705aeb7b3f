"""What a classifier with classes of its own says."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import HUES, Look


def class_bars(classes: Sequence[str], values: np.ndarray, *, look: Look) -> go.Figure:
    """One bar for each class, in the order given; `values` (class,) are probabilities."""
    places = list(range(len(classes)))
    figure = go.Figure(
        go.Bar(
            x=values,
            y=places,
            orientation="h",
            marker={"color": HUES[2]},
            text=[f"{probability:.1%}" for probability in values],
            textposition="outside",
            cliponaxis=False,
            customdata=[escape(name) for name in classes],
            hovertemplate="%{customdata} %{x:.2%}<extra></extra>",
        )
    )
    return on_paper(
        figure,
        look=look,
        height=40 + round(2.3 * look.letters) * len(classes),
        bargap=0.3,
        xaxis={"range": [0, 1.12], "visible": False},
        yaxis=names_axis(classes),
    )
