"""Figures that only this page draws."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.heat import heat
from dashboard.figures.paper import escape, names_axis, on_paper
from dashboard.theme import HUES, Look

THUMB = 256  # pixels: the longer side of a picture above its column
HIGH, HIGH_PRESENTED = (112, 34, 22), (240, 56, 30)  # pixels: of pictures, of a row, of a line of a row


def agreement_matrix(
    numbers: Sequence[Sequence[str]],
    ink: np.ndarray,
    sentences: Sequence[str],
    pictures: Sequence[str],
    *,
    best: Sequence[tuple[int, int]],
    look: Look,
) -> go.Figure:
    """A row for each sentence, a column below each picture; `numbers` and `ink` (0 to 1): (sentence, picture).

    `sentences` in lines, `pictures` as data addresses; the cells `best` are outlined.
    """
    of_picture, of_row, of_line = HIGH_PRESENTED if look.presented else HIGH
    row = max(of_row, *(of_line * (sentence.count("\n") + 1) for sentence in sentences))
    above = of_picture / row  # rows that the pictures take
    figure = heat(
        ink,
        look=look,
        x="",
        y="",
        rows=sentences,
        columns=[str(number + 1) for number in range(len(pictures))],
        limits=(0.0, 1.0),
        tell="“%{y}”, picture %{x}: %{text}, ink %{z:.1%}",
        height=of_picture + row * len(sentences) + 3 * look.letters,
    )
    strong = set(best)
    figure.update_traces(
        text=[
            [f"<b>{number}</b>" if (place, column) in strong else number for column, number in enumerate(row_numbers)]
            for place, row_numbers in enumerate(numbers)
        ],
        texttemplate="%{text}",
        textfont={"size": look.letters if len(pictures) <= MOST_LARGE else look.letters - 3},
        showscale=False,
    )
    line = {"color": look.palette.accent, "width": 5 if look.presented else 3}
    frame = {"type": "rect", "xref": "x", "yref": "y", "line": line, "layer": "above"}
    figure.update_layout(
        xaxis={"side": "top", "showline": False},
        yaxis={"autorange": None, "range": [len(sentences) - 0.5, -0.5 - above], "showline": False},
        images=[
            {
                "source": picture,
                "xref": "x",
                "yref": "y",
                "x": column,
                "y": -0.5 - above / 2,
                "sizex": 0.94,
                "sizey": 0.92 * above,
                "xanchor": "center",
                "yanchor": "middle",
                "sizing": "contain",
            }
            for column, picture in enumerate(pictures)
        ],
        shapes=[frame | {"x0": x - 0.49, "x1": x + 0.49, "y0": y - 0.47, "y1": y + 0.47} for y, x in sorted(strong)],
    )
    return figure


MOST_LARGE = 5  # pictures: of more, numbers are smaller, so that they fit on a phone


def template_bars(classes: Sequence[str], chances: np.ndarray, templates: Sequence[str], *, look: Look) -> go.Figure:
    """A bar for the mean of each class, a dot for each template; `chances` (template, class)."""
    places = list(range(len(classes)))
    mean = chances.mean(axis=0)
    figure = go.Figure(
        go.Bar(
            x=mean,
            y=places,
            orientation="h",
            name="mean",
            marker={"color": look.palette.map, "line": {"width": 0}, "opacity": 0.85},
            customdata=[escape(label) for label in classes],
            hovertemplate="%{customdata}: %{x:.1%}<extra>mean</extra>",
        )
    )
    if len(templates) > 1:
        for number, template in enumerate(templates):
            figure.add_trace(
                go.Scatter(
                    x=chances[number],
                    y=places,
                    mode="markers",
                    name=escape(template),
                    marker={
                        "color": HUES[(number + 1) % len(HUES)],
                        "size": 9,
                        "line": {"width": 1, "color": look.palette.paper},
                    },
                    customdata=[escape(label) for label in classes],
                    hovertemplate="%{customdata}: %{x:.1%}<extra>%{fullData.name}</extra>",
                )
            )
    return on_paper(
        figure,
        look=look,
        height=look.high(90 + round(2.3 * look.letters) * len(classes)),
        bargap=0.35,
        margin={"t": 44},
        xaxis={"range": [0, 1.02], "tickformat": ".0%", "showgrid": True},
        yaxis=names_axis(classes, tickfont={"color": look.palette.ink}),
    )


def word_bars(labels: Sequence[str], values: Sequence[float], *, look: Look, x: str) -> go.Figure:
    """What each word adds, to the right where it helps."""
    places = list(range(len(labels)))
    hues = [look.palette.map if value >= 0 else look.palette.negative for value in values]
    figure = go.Figure(
        go.Bar(
            x=list(values),
            y=places,
            orientation="h",
            marker={"color": hues, "line": {"width": 0}},
            customdata=[escape(label) for label in labels],
            hovertemplate="%{customdata}: %{x:+.3f}<extra></extra>",
        )
    )
    return on_paper(
        figure,
        look=look,
        height=look.high(70 + round(1.9 * look.letters) * len(labels)),
        x=x,
        bargap=0.3,
        yaxis=names_axis(labels, tickfont={"color": look.palette.ink}),
        xaxis={"showgrid": True, "zeroline": True, "zerolinecolor": look.palette.soft},
    )


def plane(
    pictures: np.ndarray, texts: np.ndarray, names: tuple[Sequence[str], Sequence[str]], *, look: Look, held: np.ndarray
) -> go.Figure:
    """Pictures and texts as points on the first two principal components."""
    figure = go.Figure()
    kinds = (("pictures", pictures, names[0], HUES[0], "circle"), ("sentences", texts, names[1], HUES[1], "diamond"))
    for name, points, labels, hue, symbol in kinds:
        figure.add_trace(
            go.Scatter(
                x=points[:, 0],
                y=points[:, 1],
                mode="markers",
                name=name,
                marker={"color": hue, "size": 9, "symbol": symbol, "opacity": 0.75},
                customdata=[escape(label) for label in labels],
                hovertemplate="%{customdata}<extra>%{fullData.name}</extra>",
            )
        )
    return on_paper(
        figure,
        look=look,
        height=look.high(460),
        x=f"first principal component ({held[0]:.0%} of the variance)",
        y=f"second ({held[1]:.0%})",
        margin={"t": 40},
        hovermode="closest",
        xaxis={"showgrid": True},
    )
