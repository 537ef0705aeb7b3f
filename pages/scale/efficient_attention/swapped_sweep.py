"""The loss with every method at every setting, measured when it is asked for, and kept."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.efficient import Fused, Variant
from core.efficient.approximation_error import WHOLE
from core.efficient.error_curve import settings_of, with_setting
from core.progress import Progress
from dashboard import charts, layout, waiting
from pages.scale.efficient_attention import compute as kept
from pages.scale.efficient_attention import methods
from pages.scale.efficient_attention import words_maps as maps_said
from pages.scale.efficient_attention import words_swapped as said
from pages.scale.efficient_attention.figures_error_cost import Step, error_cost

DEAREST, DEAREST_LONG = 2.0, 0.25  # times the exact kernel's work: what costs more has no point, or takes minutes
FEWEST = 3  # settings that are worth a figure
LN2 = 0.6931471805599453


@dataclass(frozen=True)
class Swept:
    """One method at one setting: its work as a share of the exact kernel's, and the loss in bits."""

    method: str
    setting: int
    work: float
    bits: float


def sweep_part(own: kept.Own, layers: tuple[int, ...], count: int, exact: float) -> tuple[Swept, ...]:
    """The button, and the figure of what is known; the points once all are. `exact` is the loss in bits."""
    st.markdown("**Loss against work**")
    wanted = plan(kept.read(*own))
    if not wanted:
        st.caption(said.TOO_SHORT)
        return ()
    known = [one for one in wanted if kept.is_known(own, one[3], layers)]
    if len(known) < len(wanted):
        _ask(own, layers, wanted, len(known))
    points = tuple(
        Swept(name, setting, work, float(kept.surprises(own, variant, layers).mean()) / LN2)
        for name, setting, work, variant in known
    )
    if len(points) >= FEWEST:
        _figure(points, exact, "all layers" if len(layers) == count else f"{len(layers)} of {count} layers")
    return points if len(points) == len(wanted) else ()


def plan(reading: kept.Reading) -> list[tuple[str, int, float, Variant]]:
    """Method, setting, work and variant, of all that is measured."""
    tokens = reading.length
    product = reading.calls[0].product
    each = product.query.shape[-1] if product else 1
    of_exact = Fused(causal=True).multiplications(tokens, each)
    wanted = []
    for name in methods.on_offer(causal=True, measured=True):
        variant = methods.standard(name, tokens, causal=True)
        for setting in settings_of(variant, tokens):
            changed = with_setting(variant, setting)
            work = changed.multiplications(tokens, each) / of_exact
            if work <= (DEAREST if tokens <= WHOLE else DEAREST_LONG):
                wanted.append((name, setting, work, changed))
    return wanted


def _ask(own: kept.Own, layers: tuple[int, ...], wanted: list, known: int) -> None:
    if known >= FEWEST:
        st.caption(said.NOT_ALL.format(done=known, total=len(wanted)))

    def sweep(progress: Progress) -> None:
        for done, (*_, variant) in enumerate(wanted):
            progress(done, len(wanted))
            kept.surprises(own, variant, layers)

    waiting.offer(said.SWEEP, sweep, unit="settings", icon=":material/timer:", key="swap-sweep")


def _figure(points: tuple[Swept, ...], exact: float, layers: str) -> None:
    lines: dict[str, list[Step]] = {}
    for point in points:
        told = f"{maps_said.SETTINGS[point.method]} {point.setting:,}"
        lines.setdefault(point.method, []).append(Step(point.work, point.bits, told))
    figure = error_cost(
        lines,
        look=layout.look(),
        hues=methods.HUE,
        y="loss (bits per token)",
        level=("exact", exact),
    )
    if not layout.is_presented():
        st.caption(said.SWEPT.format(layers=layers))
    best = min(points, key=lambda point: point.bits)
    charts.chart(
        figure,
        name="swapped-sweep",
        alt=f"Loss in bits against work; exact attention: {exact:.2f}; lowest: {best.method} with {best.bits:.2f}",
        table=pd.DataFrame([vars(point) for point in points]),
    )
