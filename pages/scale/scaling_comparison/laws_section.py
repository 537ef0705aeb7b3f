"""Laws: fitted to the cheaper runs, tried on the dearer ones."""

from dataclasses import dataclass
from typing import get_args

import numpy as np
import pandas as pd
import streamlit as st

from core.published import published_laws
from core.scaling import LAWS, Bootstrap
from dashboard import charts, layout
from dashboard.numbers import with_power
from pages.scale.scaling_comparison import compute_laws as kept
from pages.scale.scaling_comparison import figures_laws as figures
from pages.scale.scaling_comparison import laws_notices
from pages.scale.scaling_comparison import words_laws as said

SIZES = (0.0, 1e8, 2e8, 5e8, 1e9, 2e9)
LIMITS = (3e19, 1e20, 3e20, 1e21, 3e21, 1e22, float("inf"))


@dataclass(frozen=True)
class Shown:
    """The runs of the section, which of them were held out, and the law that was fitted to the others."""

    law: str
    runs: kept.Runs
    held_out: np.ndarray
    found: Bootstrap

    @property
    def predicted(self) -> np.ndarray:
        """The loss that the law expects of each run."""
        return self.found.best.loss(self.runs.points.parameters, self.runs.points.tokens)


def show() -> None:
    """Controls, the two figures, the coefficients."""
    if not layout.is_presented():
        st.markdown(said.LEAD, width=layout.PROSE)
    shown = _choose()
    runs, numbers = _drawn(shown), _table(shown)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _losses(runs, _along_compute(shown), numbers)
    with right:
        _predictions(runs, numbers)
    _coefficients(shown)
    layout.notes(said.NOTES, notice=laws_notices.notice(shown), formula=lambda: laws_notices.formula(shown))


def _choose() -> Shown:
    with layout.control_bar():
        collection = st.segmented_control(
            "Runs", get_args(kept.Collection), default="Chinchilla", key="laws_runs", bind="query-params", required=True
        )
        law = st.segmented_control(
            "Law", list(LAWS), default="Chinchilla", key="laws_law", bind="query-params", required=True
        )
        without = st.toggle(
            "Without outliers",
            True,
            key="laws_trim",
            bind="query-params",
            help=f"The {kept.OUTLIERS} runs with the highest losses.",
        )
    outliers = kept.OUTLIERS if without and collection == "Chinchilla" else 0
    with layout.control_bar():
        smallest = _smallest()
        limit = _limit()
    runs = kept.chosen(collection, outliers, smallest)
    if not layout.is_presented():
        everyone = len(kept.published_runs(collection).points)
        st.caption((said.CHINCHILLA if collection == "Chinchilla" else said.PYTHIA).format(runs=everyone))
    with layout.waiting_place(), st.spinner("Fitting the law, and fitting it again to resamples …"):
        found = kept.fitted(collection, law, outliers, limit, smallest)
    return Shown(law, runs, runs.points.flops > limit, found)


def _smallest() -> float:
    """Models below this are left out: the visible subset."""
    return st.select_slider("Models from", SIZES, format_func=_size, key="laws_from", bind="query-params", width=300)


def _limit() -> float:
    """Runs that cost more are held out."""
    return st.select_slider(
        "Hold back runs above", LIMITS, value=1e21, format_func=_flops, key="laws_limit", bind="query-params", width=300
    )


def _flops(value: float) -> str:
    return "nothing" if np.isinf(value) else f"{with_power(value, digits=1)} FLOPs"


def _size(parameters: float) -> str:
    return f"{parameters / 1e9:g} G" if parameters >= 1e9 else (f"{parameters / 1e6:g} M" if parameters else "any size")


def _along_compute(shown: Shown) -> figures.Line:
    """The law over the compute of all runs and a power of ten more."""
    spent = shown.runs.points.flops
    flops = np.geomspace(spent.min(), 10 * spent.max(), 60)
    return figures.Line(flops, shown.found.best.lowest(flops), *shown.found.band(flops))


def _drawn(shown: Shown) -> figures.Runs:
    points = shown.runs.points
    told = tuple(
        f"{name}, {with_power(tokens, digits=3)} tokens, {with_power(flops, digits=3)} FLOPs<br>"
        f"loss {loss:.3f}, the law says {predicted:.3f}<br>{shown.runs.source}"
        for name, tokens, flops, loss, predicted in zip(
            shown.runs.names, points.tokens, points.flops, points.loss, shown.predicted, strict=True
        )
    )
    return figures.Runs(points.flops, points.loss, shown.predicted, shown.held_out, told)


def _losses(runs: figures.Runs, line: figures.Line, numbers: pd.DataFrame) -> None:
    figure = figures.loss_against_compute(
        runs,
        line,
        look=layout.look(),
        y="loss, nats",
        height=layout.look().high(440),
    )
    charts.chart(
        figure,
        name="laws-compute",
        alt=f"Loss of {len(runs.told)} training runs against their compute, and the fitted law: "
        f"{line.loss[0]:.2f} at {line.flops[0]:.0e} FLOPs, {line.loss[-1]:.2f} at {line.flops[-1]:.0e}.",
        table=numbers,
    )


def _predictions(runs: figures.Runs, numbers: pd.DataFrame) -> None:
    figure = figures.predicted_against_measured(runs, look=layout.look(), height=layout.look().high(440))
    charts.chart(
        figure,
        name="laws-predicted",
        alt="Predicted against measured losses; runs that were held out are marked.",
        table=numbers,
    )


def _table(shown: Shown) -> pd.DataFrame:
    """One row a run."""
    points = shown.runs.points
    return pd.DataFrame(
        {
            "run": shown.runs.names,
            "parameters": points.parameters,
            "tokens": points.tokens,
            "training FLOPs": points.flops,
            "loss": points.loss,
            "predicted loss": shown.predicted,
            "held out": shown.held_out,
            "source": shown.runs.source,
        }
    )


def _coefficients(shown: Shown) -> None:
    st.subheader("The numbers of the law", anchor=False)
    intervals = shown.found.intervals()
    names = shown.found.best.names()
    rows: dict[str, list] = {
        "": list(said.SYMBOLS[shown.law]),
        "fitted here": [_round(value) for value in shown.found.best.values()],
        "90 % interval": [f"{_round(low)} to {_round(high)}" for low, high in (intervals[name] for name in names)],
    }
    published = [each for each in published_laws() if each.kind == shown.law]
    for each in published:
        rows[each.paper] = [_round(value) for value in each.law.values()]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=42 if layout.is_presented() else None,
        column_config={each.paper: st.column_config.TextColumn(help=each.source) for each in published},
    )
    if not layout.is_presented():
        st.caption(said.ABOUT_BAND.format(draws=len(shown.found.drawn)))


def _round(value: float) -> str:
    return f"{value:.2e}" if value >= 1e5 else f"{value:.4g}"
