"""Accuracy of networks trained on little data: against the number of pictures, and against their size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Palette

FAMILIES = {"convolutional": HUES[1], "transformer": HUES[0]}
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True, eq=False)
class Learner:
    """A network: its size, and the accuracy (per cent) that it reached with so many pictures."""

    name: str
    family: str
    parameters: float
    reached: Mapping[int, float]


def against_pictures(learners: Sequence[Learner], *, palette: Palette, size: int = 14, height: int = 420) -> go.Figure:
    """A line for each network; the hue says its family."""
    figure = go.Figure()
    seen: dict[str, int] = {}
    for learner in learners:
        number = seen.setdefault(learner.family, 0)
        seen[learner.family] += 1
        pictures = sorted(learner.reached)
        figure.add_trace(
            go.Scatter(
                x=pictures,
                y=[learner.reached[each] for each in pictures],
                name=escape(learner.name),
                mode="lines+markers",
                line={"color": FAMILIES[learner.family], "width": 2.2, "dash": DASHES[number % len(DASHES)]},
                marker={"size": 8},
                hovertemplate=f"{escape(learner.name)}, %{{x:,}} pictures: %{{y:.1f}} %<extra></extra>",
            )
        )
    on_paper(figure, palette=palette, height=height, size=size, x="pictures to learn from", y="accuracy, %")
    places = sorted({each for learner in learners for each in learner.reached})
    figure.update_xaxes(type="log", tickvals=places, ticktext=[f"{each:,}" for each in places], showgrid=False)
    return figure


def against_size(
    ours: Sequence[Learner],
    published: Sequence[tuple[Learner, str]],
    *,
    palette: Palette,
    size: int = 14,
    height: int = 420,
) -> go.Figure:
    """All of the data: our networks as filled marks, published ones (with what is told of each) as hollow ones."""
    figure = go.Figure()
    for family, colour in FAMILIES.items():
        mine = [learner for learner in ours if learner.family == family]
        theirs = [(learner, told) for learner, told in published if learner.family == family]
        _marks(
            figure, mine, [f"{each.name}, ours" for each in mine], f"{family}, ours", colour, "circle", palette, size
        )
        _marks(
            figure,
            [learner for learner, _ in theirs],
            [f"{learner.name}: {told}" for learner, told in theirs],
            f"{family}, lecture",
            colour,
            "diamond-open",
            palette,
            size,
        )
    on_paper(figure, palette=palette, height=height, size=size, x="parameters", y="accuracy, %")
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, showgrid=False)
    return figure


def _marks(
    figure: go.Figure,
    learners: Sequence[Learner],
    told: Sequence[str],
    name: str,
    colour: str,
    symbol: str,
    palette: Palette,
    size: int,
) -> None:
    if learners:
        figure.add_trace(
            go.Scatter(
                x=[learner.parameters for learner in learners],
                y=[max(learner.reached.items())[1] for learner in learners],
                name=name,
                mode="markers+text",
                text=[escape(learner.name) for learner in learners],
                textposition="top center",
                textfont={"size": size - 2, "color": palette.soft},
                marker={"size": 11, "color": colour, "symbol": symbol, "line": {"width": 2}},
                customdata=[escape(each) for each in told],
                cliponaxis=False,
                hovertemplate="%{customdata}<br>%{x:.3s} parameters, %{y:.1f} %<extra></extra>",
            )
        )
