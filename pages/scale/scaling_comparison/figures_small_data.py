"""Accuracy of networks trained on little data: against the number of pictures, and against their size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.beside import beside, shares, span
from dashboard.figures.paper import escape, on_paper
from dashboard.theme import HUES, Look

FAMILIES = {"convolutional": HUES[1], "transformer": HUES[0]}
WIDTH, ROOM = 420, 0.15  # pixels of the narrowest picture that names are placed for; share of the range
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True, eq=False)
class Learner:
    """A network: its size, and the accuracy (per cent) that it reached with so many pictures."""

    name: str
    family: str
    parameters: float
    reached: Mapping[int, float]


def against_pictures(learners: Sequence[Learner], *, look: Look, height: int = 420) -> go.Figure:
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
    on_paper(figure, look=look, height=height, x="pictures to learn from", y="accuracy, %")
    places = sorted({each for learner in learners for each in learner.reached})
    figure.update_xaxes(type="log", tickvals=places, ticktext=[f"{each:,}" for each in places], showgrid=False)
    return figure


def against_size(
    ours: Sequence[Learner],
    published: Sequence[tuple[Learner, str]],
    *,
    look: Look,
    height: int = 420,
) -> go.Figure:
    """All of the data: our networks as filled marks, published ones (with what is told of each) as hollow ones."""
    figure = go.Figure()
    everyone = [*ours, *(learner for learner, _ in published)]
    sizes, best = np.log10([each.parameters for each in everyone]), _best(everyone)
    wide, high = span(sizes, ROOM), span(best, ROOM)
    names = [each.name for each in everyone]
    places = dict(
        zip(
            everyone,
            beside(
                shares(sizes, wide), shares(best, high), names, width=WIDTH, height=height - 130, size=look.letters - 2
            ),
            strict=True,
        )
    )
    for family, colour in FAMILIES.items():
        for whose, symbol, told in (
            ("ours", "circle", {learner: f"{learner.name}, ours" for learner in ours}),
            ("lecture", "diamond-open", {learner: f"{learner.name}: {words}" for learner, words in published}),
        ):
            shown = {learner: words for learner, words in told.items() if learner.family == family}
            if shown:
                mark = {"size": 11, "color": colour, "symbol": symbol, "line": {"width": 2}}
                figure.add_trace(_marks(shown, places, f"{family}, {whose}", mark, look))
    on_paper(figure, look=look, height=height, x="parameters", y="accuracy, %")
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, showgrid=False, range=wide)
    figure.update_yaxes(range=high)
    return figure


def _best(learners: Sequence[Learner]) -> np.ndarray:
    """The accuracy with the most pictures."""
    return np.array([learner.reached[max(learner.reached)] for learner in learners])


def _marks(told: Mapping[Learner, str], places: Mapping[Learner, str], name: str, mark: dict, look: Look) -> go.Scatter:
    return go.Scatter(
        x=[learner.parameters for learner in told],
        y=_best(list(told)),
        name=name,
        mode="markers+text",
        text=[escape(learner.name) if places[learner] else "" for learner in told],
        textposition=[places[learner] or "top center" for learner in told],
        textfont={"size": look.letters - 2, "color": look.palette.soft},
        marker=mark,
        customdata=[escape(words) for words in told.values()],
        cliponaxis=False,
        hovertemplate="%{customdata}<br>%{x:.3s} parameters, %{y:.1f} %<extra></extra>",
    )
