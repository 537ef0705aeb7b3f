"""Laws: fitted to the cheaper runs, tried on the dearer ones."""

from dataclasses import dataclass
from typing import get_args

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.published import published_laws
from core.scaling import LAWS, Bootstrap, Chinchilla
from dashboard import theme
from dashboard.figures.scatter import Axis, Line, scatter
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import amount, in_latex, with_power
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.scale.scaling_comparison import compute
from pages.scale.scaling_comparison.prose import PAGE

SECTION = PAGE.section("Laws")
# The formula of each law, with a place for each coefficient; and the coefficients' symbols.
FORMULAS = {
    "Chinchilla": (
        r"L(N, D) = {0} + \frac{{{1}}}{{N^{{{3}}}}} + \frac{{{2}}}{{D^{{{4}}}}}",
        ("E", "A", "B", r"\alpha", r"\beta"),
    ),
    "Kaplan": (
        r"L(N, D) = \left[\left(\frac{{{0}}}{{N}}\right)^{{{2}/{3}}} + \frac{{{1}}}{{D}}\right]^{{{3}}}",
        ("N_c", "D_c", r"\alpha_N", r"\alpha_D"),
    ),
    "Compute frontier": (
        r"L(C) = {0} + \left(\frac{{{1}}}{{C}}\right)^{{{2}}}",
        ("E", "C_c", r"\alpha"),
    ),
}
SIZES = (0.0, 1e8, 2e8, 5e8, 1e9, 2e9)
LIMITS = (3e19, 1e20, 3e20, 1e21, 3e21, 1e22, float("inf"))
KINDS = {"not held out": HUES[0], "held out": HUES[1]}


@dataclass(frozen=True)
class Fit:
    """A law that was fitted to those `runs` that are not "held out"; "predicted loss" is what it expects of each."""

    law: str
    runs: pd.DataFrame
    bootstrap: Bootstrap


def show() -> None:
    """Controls, the two figures, the coefficients."""
    collection, law, outliers, limit, smallest = _choose()
    fit = fit_of(collection, law, outliers, limit, smallest)
    numbers = fit.runs
    left, right = st.columns([3, 2], gap="medium")
    along = along_compute(fit)
    with left:
        charts.chart(
            runs_figure(numbers, "training FLOPs", "loss", along),
            name="laws-compute",
            alt=f"Loss of {len(numbers)} training runs against their compute, and the fitted law: "
            f"{along.y[0]:.2f} at {along.x[0]:.0e} FLOPs, {along.y[-1]:.2f} at {along.x[-1]:.0e}.",
            table=numbers,
        )
    with right:
        both = numbers[["loss", "predicted loss"]]
        ends = np.array([both.min().min(), both.max().max()])
        charts.chart(
            runs_figure(numbers, "loss", "predicted loss", Line("", ends, ends, dash="dot")),
            name="laws-predicted",
            alt="Predicted against measured losses; runs that were held out are marked.",
            table=numbers,
        )
    layout.place_notice()
    layout.prose(SECTION.text("Forecasts of a law"))
    if collection == "Chinchilla":
        layout.caption(SECTION.text("Chinchilla", runs=len(compute.published_runs(collection))))
    else:
        layout.caption(SECTION.text("Pythia"))
    _coefficients(fit)
    layout.notes(SECTION, notice=notice(fit), formula=lambda: formula(fit))


def _choose() -> tuple[compute.Collection, str, int, float, float]:
    with layout.control_bar():
        law = controls.choice("Law", LAWS, key="laws_law", first="Chinchilla")
        limit = st.select_slider(
            "Hold back runs above",
            LIMITS,
            value=1e21,
            format_func=_flops,
            key="laws_limit",
            bind="query-params",
            width=300,
        )
        with layout.settings():
            collection = controls.choice("Runs", get_args(compute.Collection), key="laws_runs", first="Chinchilla")
            without = st.toggle(
                "Without outliers",
                True,
                key="laws_trim",
                bind="query-params",
                help=f"The {compute.OUTLIERS} runs with the highest losses.",
            )
            smallest = st.select_slider(
                "Models from", SIZES, format_func=_size, key="laws_from", bind="query-params", width=300
            )
    outliers = compute.OUTLIERS if without and collection == "Chinchilla" else 0
    return collection, law, outliers, limit, smallest


def fit_of(
    collection: compute.Collection, law: str, outliers: int, limit: float, smallest: float, draws: int = compute.DRAWS
) -> Fit:
    """The law with its resamples, see `compute.fitted`, and all runs, whether they were held out or not."""
    bootstrap = compute.fitted(collection, law, outliers, limit, smallest, draws=draws)
    runs = compute.runs_without(collection, outliers, smallest)
    points = compute.points_of(runs)
    runs["predicted loss"] = bootstrap.best.loss(points.parameters, points.tokens)
    runs["held out"] = runs["training FLOPs"] > limit
    return Fit(law, runs, bootstrap)


def _flops(value: float) -> str:
    return "nothing" if np.isinf(value) else f"{with_power(value, digits=1)} FLOPs"


def _size(parameters: float) -> str:
    return f"{parameters / 1e9:g} G" if parameters >= 1e9 else (f"{parameters / 1e6:g} M" if parameters else "any size")


def along_compute(fit: Fit) -> Line:
    """The law over the compute of all runs and a power of ten more, with the band of its resamples."""
    spent = fit.runs["training FLOPs"]
    flops = np.geomspace(spent.min(), 10 * spent.max(), 60)
    low, high = fit.bootstrap.band(flops)
    return Line(
        "lowest loss that the law allows",
        flops,
        fit.bootstrap.best.lowest(flops),
        colour=HUES[2],
        low=low,
        high=high,
        tell="%{x:.2e} FLOPs: the law allows %{y:.3f}",
        in_range=True,
    )


TITLES = {"training FLOPs": "training compute, FLOPs", "loss": "loss, measured", "predicted loss": "loss, predicted"}


def runs_figure(numbers: pd.DataFrame, x: str, y: str, line: Line) -> go.Figure:
    """Each run as a point of two of the columns in TITLES, and a line."""
    points = pd.DataFrame(
        {
            "x": numbers[x],
            "y": numbers[y],
            "family": np.where(numbers["held out"], *reversed(KINDS)),
            "label": numbers.run,
            "short": "",
            "tell": [
                f"{with_power(tokens, digits=3)} tokens, {with_power(flops, digits=3)} FLOPs\n"
                f"loss {loss:.3f}, the law says {predicted:.3f}"
                for tokens, flops, loss, predicted in numbers[["tokens", *TITLES]].itertuples(index=False)
            ],
        }
    )
    by_compute = x == "training FLOPs"
    figure = scatter(
        points,
        x=Axis(TITLES[x], True, "power" if by_compute else "none"),
        y=Axis("loss, nats" if by_compute else TITLES[y], True),
        hues=KINDS,
        look=theme.look(),
        lines=[line],
        footer=numbers.source[0],
        height=theme.look().high(440),
    )
    # Losses span less than a power of ten: round ones are written.
    ticks = round_ticks(numbers["loss"], line.y)
    figure.update_yaxes(tickvals=ticks, dtick=None)
    if not by_compute:
        figure.update_xaxes(tickvals=ticks, dtick=None)
    return figure


def round_ticks(*losses: np.ndarray | pd.Series) -> list[float]:
    """At most eight round numbers from the lowest to the highest loss."""
    low, high = min(series.min() for series in losses), max(series.max() for series in losses)
    step = next(step for step in (0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10) if (high - low) / step <= 7 or step == 10)
    return [round(value, 4) for value in np.arange(np.ceil(low / step) * step, high + step / 2, step).tolist()]


def _coefficients(fit: Fit) -> None:
    st.subheader("The numbers of the law", anchor=False)
    best, intervals = fit.bootstrap.best, fit.bootstrap.intervals()
    rows: dict[str, list] = {
        "": [symbol.replace(r"\alpha", "α").replace(r"\beta", "β") for symbol in FORMULAS[fit.law][1]],
        "fitted here": [_round(value) for value in best.values()],
        "90% interval": [f"{_round(low)} to {_round(high)}" for low, high in map(intervals.__getitem__, best.names())],
    }
    published = [publication for publication in published_laws() if publication.kind == fit.law]
    rows |= {publication.paper: [_round(value) for value in publication.law.values()] for publication in published}
    data_table(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            publication.paper: st.column_config.TextColumn(help=publication.source) for publication in published
        },
    )
    st.caption(SECTION.text("Bands and intervals", draws=len(fit.bootstrap.drawn)))


def _round(value: float) -> str:
    return f"{value:.2e}" if value >= 1e5 else f"{value:.4g}"


def notice(fit: Fit) -> tuple[str, ...]:
    """How far the law and its forecasts miss, what it was fitted to where that is not all, and what it advises."""
    some = (SECTION.text("Compute frontier"),) if fit.law == "Compute frontier" else ()
    columns = (fit.runs[name].to_numpy() for name in ("predicted loss", "loss", "held out"))
    return (foretold(*columns), *some, *_advice(fit))


def foretold(predicted: np.ndarray, measured: np.ndarray, held_out: np.ndarray) -> str:
    """How far the law misses the runs that were not held back, and those that were."""
    errors = 100 * (predicted / measured - 1)
    near, held = (_root_mean_square(errors[mask]) for mask in (~held_out, held_out))
    first = f"The law misses the {(~held_out).sum()} runs that were not held back by {near:.1f}% (root mean square)"
    if not held_out.any():
        return f"{first}. None was held back, so its forecasts are not tested."
    bias = float(errors[held_out].mean())
    leaning = f"{abs(bias):.1f}% too {'high' if bias > 0 else 'low'}" if abs(bias) >= 0.05 else "less than 0.05% off"
    times = f" ({held / near:.1f} times as far)" if near else ""
    return (
        f"{first}; its forecasts of the {held_out.sum()} more expensive runs miss by {held:.1f}%{times} and are "
        f"{leaning} on average."
    )


def _root_mean_square(errors: np.ndarray) -> float:
    return float(np.sqrt((errors**2).mean())) if len(errors) else 0.0


def _advice(fit: Fit) -> tuple[str, ...]:
    law = fit.bootstrap.best
    if not isinstance(law, Chinchilla):
        return ()
    flops = float(f"{fit.runs['training FLOPs'].max():.0e}")
    sizes, tokens = law.optimal(np.array([flops, 10 * flops]))
    loss, more = law.loss(sizes, tokens)
    ratios = [
        drawn_law.optimal(np.array([flops])) for drawn_law in fit.bootstrap.drawn if isinstance(drawn_law, Chinchilla)
    ]
    low, high = np.quantile([float((d / n)[0]) for n, d in ratios], (0.05, 0.95))
    return (
        f"By the law, the best split of {with_power(flops, digits=1)} FLOPs is {amount(sizes[0]).strip()} parameters "
        f"and {amount(tokens[0]).strip()} tokens: {tokens[0] / sizes[0]:.3g} tokens for each parameter (90% interval "
        f"{low:.3g} to {high:.3g}).",
        f"Ten times the compute, split at its best, would lower the loss from {loss:.3f} to {more:.3f}; none would "
        f"lower it below E = {law.irreducible:.3f}.",
    )


def formula(fit: Fit) -> None:
    """The law, and the same with its numbers."""
    template, symbols = FORMULAS[fit.law]
    st.latex(template.format(*symbols))
    st.latex(template.format(*map(in_latex, fit.bootstrap.best.values())))
