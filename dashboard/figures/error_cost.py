"""Error against work: a line for each method from its cheapest setting to its dearest, the present one marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.paper import escape, on_paper
from dashboard.theme import Palette


@dataclass(frozen=True)
class Step:
    """One setting of a method: the work it takes, what comes of it, and the setting in words."""

    work: float
    value: float
    tell: str


def error_cost(
    lines: Mapping[str, Sequence[Step]],
    *,
    palette: Palette,
    hues: Mapping[str, str],
    y: str,
    now: tuple[str, Step] | None = None,
    level: tuple[str, float] | None = None,
    y_log: bool = False,
    height: int = 400,
    size: int = 14,
) -> go.Figure:
    """`now` is the present method and setting; `level` a horizontal line with its name, such as an exact value."""
    figure = go.Figure()
    for name, steps in lines.items():
        chosen = now is None or name == now[0]
        figure.add_trace(
            go.Scatter(
                x=[step.work for step in steps],
                y=[step.value for step in steps],
                name=escape(name),
                mode="lines+markers",
                line={"color": hues[name], "width": 2.4 if chosen else 1.4},
                marker={"size": 6 if chosen else 4},
                customdata=[escape(step.tell) for step in steps],
                hovertemplate=f"{escape(name)}, %{{customdata}}: {y} %{{y:.3g}}, work %{{x:.3g}}<extra></extra>",
            )
        )
    if now is not None:
        name, step = now
        figure.add_trace(
            go.Scatter(
                x=[step.work],
                y=[step.value],
                name="now",
                mode="markers",
                marker={
                    "size": 15,
                    "symbol": "circle-open",
                    "color": palette.ink,
                    "line": {"width": 2.5, "color": palette.ink},
                },
                hovertemplate=f"now, {escape(step.tell)}: {y} %{{y:.3g}}, work %{{x:.3g}}<extra></extra>",
            )
        )
    on_paper(figure, palette=palette, height=height, size=size, x="work, as a share of the exact kernel's", y=y)
    figure.update_layout(showlegend=True, margin={"t": 56})
    figure.update_xaxes(type="log", showgrid=False, exponentformat="none", tickformat="~g", nticks=8)
    figure.add_vline(x=1, line={"color": palette.hair, "width": 1.5})
    if level is not None:
        figure.add_hline(
            y=level[1],
            line={"color": palette.soft, "dash": "dot", "width": 1.5},
            annotation={"text": escape(level[0]), "font": {"color": palette.soft, "size": size - 2}},
            annotation_position="bottom left",
        )
    if y_log:
        figure.update_yaxes(type="log", exponentformat="none")
    return figure
