"""What comes of each method against its work: a line from its cheapest setting to its dearest."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Look


@dataclass(frozen=True)
class Step:
    """One setting of a method, the work it takes as a share of the exact kernel's, and what comes of it."""

    setting: int
    work: float
    value: float


def against_work(
    lines: Mapping[str, Sequence[Step]],
    *,
    look: Look,
    hues: Mapping[str, str],
    settings: Mapping[str, str],
    y: str,
    now: tuple[str, Step] | None = None,
    level: tuple[str, float] | None = None,
    dashed: frozenset[str] = frozenset(),
) -> go.Figure:
    """A line for each method; `settings` says what its setting is called.

    `now` is the present method and setting; `level` a horizontal line with its name, such as an exact value; `dashed`
    are lines of what cannot be had.
    """
    figure = go.Figure()
    for name, steps in lines.items():
        chosen = now is None or name == now[0]
        dash = "dot" if name in dashed else "solid"
        figure.add_scatter(
            x=[step.work for step in steps],
            y=[step.value for step in steps],
            name=escape(name),
            mode="lines+markers",
            line={"color": hues[name], "width": 2.4 if chosen else 1.4, "dash": dash},
            marker={"size": 6 if chosen else 4},
            customdata=[f"{settings[name]} {step.setting:,}" for step in steps],
            hovertemplate=f"{escape(name)}, %{{customdata}}: {y} %{{y:.3g}}, work %{{x:.3g}}<extra></extra>",
        )
    if now is not None:
        name, step = now
        ink = look.palette.ink
        figure.add_scatter(
            x=[step.work],
            y=[step.value],
            name="now",
            mode="markers",
            marker={"size": 15, "symbol": "circle-open", "color": ink, "line": {"width": 2.5, "color": ink}},
            hovertemplate=f"now, {settings[name]} {step.setting:,}: {y} %{{y:.3g}}, work %{{x:.3g}}<extra></extra>",
        )
    on_paper(figure, look=look, height=400, x="work, as a share of the exact kernel's", y=y)
    figure.update_layout(showlegend=True, margin={"r": 16})  # half of the last number stands outside
    ticks = _ticks([step.work for steps in lines.values() for step in steps])
    figure.update_xaxes(type="log", showgrid=False, tickvals=ticks, ticktext=[f"{value:g}" for value in ticks])
    figure.add_vline(x=1, line={"color": look.palette.hair, "width": 1.5})
    if level is not None:
        name, value = level
        soft = look.palette.soft
        figure.add_hline(
            y=value,
            line={"color": soft, "dash": "dot", "width": 1.5},
            annotation={"text": escape(name), "font": {"color": soft, "size": look.letters - 2}},
            annotation_position="bottom left",
        )
    return figure


def _ticks(works: Sequence[float]) -> list[float]:
    """1, 2 and 5 times powers of ten around these values; powers alone where they span many."""
    low, high = math.log10(min(works)), math.log10(max(works))
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    return [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for step in steps]
