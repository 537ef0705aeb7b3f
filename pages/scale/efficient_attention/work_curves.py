"""What each method gets for its work: the error of a head, and the loss of the model once it is measured."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.efficient import Fused, Variant
from core.efficient.approximation_error import MAX_FULL_ROWS, Comparison
from core.efficient.error_curve import SETTING, Point, settings_of, with_setting
from core.progress import Progress
from dashboard import theme
from dashboard.cache import waiting
from dashboard.frame import layout
from dashboard.output import charts
from pages.scale.efficient_attention import compute, methods
from pages.scale.efficient_attention.compute import Reading
from pages.scale.efficient_attention.figures import Step, against_work
from pages.scale.efficient_attention.methods import Method
from pages.scale.efficient_attention.prose import PAGE

MAPS, SWAPPED_IN = PAGE.section("Maps"), PAGE.section("Swapped in")
FEW = 512  # tokens: up to here the error curves of all methods take no time
DEAREST, DEAREST_LONG = 2.0, 0.25  # times the exact kernel's work: what costs more has no point, or takes minutes
FEWEST = 3  # settings whose loss is worth a figure
LN2 = 0.6931471805599453

Planned = tuple[str, int, float, Variant]  # method, setting, work and variant


def error_against_work(
    reading: Reading, layer: int, head: int, method: Method, comparison: Comparison, *, causal: bool
) -> tuple[Point, ...]:
    """The figure of the error of a head's output; the points of the method that is chosen."""
    st.markdown("**Error against work**")
    short = comparison.tokens <= FEW
    key = "maps_others" if short else "maps_others_long"
    if st.toggle("Draw the other methods, too", value=short, key=key, bind="query-params"):
        offered = methods.on_offer(causal=causal, measured=False)
        variants = {name: methods.standard(name, comparison.tokens, causal=causal) for name in offered}
        if comparison.tokens > compute.LONGEST_RANK:
            variants.pop(methods.LOW_RANK)
    else:
        variants = {}
    variants |= {method.name: method.variant}
    with layout.waiting_place():
        curves = {
            # From the cheapest setting on, whichever is chosen: so that a curve is kept once.
            name: compute.along(reading, layer, head, with_setting(variant, settings_of(variant, comparison.tokens)[0]))
            for name in methods.KINDS
            if (variant := variants.get(name))
        }
    lines = {
        name: [Step(point.setting, point.cost, point.error) for point in points] for name, points in curves.items()
    }
    now = Step(method.setting, comparison.cost, comparison.output_error)
    figure = against_work(
        lines,
        look=theme.look(),
        hues=methods.HUE,
        settings=methods.SETTINGS,
        y="relative error of the output",
        now=(method.name, now),
        dashed=frozenset({methods.LOW_RANK}),
    )
    highest = min(2, max(1.0, now.value, *(step.value for step in lines[method.name])))
    figure.update_yaxes(range=[-0.04 * highest, 1.05 * highest])
    rows = [
        (name, SETTING[methods.KINDS[name]], step.setting, step.work, step.value)
        for name, steps in lines.items()
        for step in steps
    ]
    charts.chart(
        figure,
        name="maps-error-cost",
        alt=f"Relative error of the output against work; {method.name} now: {now.value:.2g} at {now.work:.2g} of it",
        table=pd.DataFrame(rows, columns=["method", "setting", "value", "work", "error"]),
    )
    own = curves[method.name]
    st.caption(MAPS.text("Error against work", settings=settings_text(methods.SETTINGS[method.name], own)))
    return own


def settings_text(name: str, points: Sequence[Point]) -> str:
    """The settings of a curve, which on a long text may be one alone: the others would take too much work."""
    least, most = points[0].setting, points[-1].setting
    return f"{name} from {least:,} to {most:,}" if most > least else f"here {name} {least:,} alone"


def loss_against_work(reading: Reading, layers: tuple[int, ...], exact: float) -> dict[str, list[Step]]:
    """The button, and the figure of what is known; each method's settings once all are. `exact` is the loss in bits."""
    st.markdown("**Loss against work**")
    wanted = plan(reading)
    if not wanted:
        st.caption(SWAPPED_IN.text("Texts that leave nothing to save"))
        return {}
    lines: dict[str, list[Step]] = {}
    for name, setting, work, variant in wanted:
        if (known := compute.surprises.peek(reading, variant, layers)) is not None:
            lines.setdefault(name, []).append(Step(setting, work, float(known.mean()) / LN2))
    done = sum(map(len, lines.values()))
    if done < len(wanted):
        _ask(reading, layers, wanted, done)
    if done >= FEWEST:
        _loss_figure(lines, exact, len(layers), len(reading.calls))
    return lines if done == len(wanted) else {}


def plan(reading: Reading) -> list[Planned]:
    """All that is measured, without what costs too much."""
    tokens = reading.length
    product = reading.calls[0].product
    head_dim = product.query.shape[-1] if product else 1
    of_exact = Fused(causal=True).multiplications(tokens, head_dim)
    wanted = []
    for name in methods.on_offer(causal=True, measured=True):
        variant = methods.standard(name, tokens, causal=True)
        for setting in settings_of(variant, tokens):
            changed = with_setting(variant, setting)
            work = changed.multiplications(tokens, head_dim) / of_exact
            if work <= (DEAREST if tokens <= MAX_FULL_ROWS else DEAREST_LONG):
                wanted.append((name, setting, work, changed))
    return wanted


def _ask(reading: Reading, layers: tuple[int, ...], wanted: list[Planned], done: int) -> None:
    if done >= FEWEST:
        st.caption(f"{done} of {len(wanted)} settings measured: the button goes on with the rest.")

    def sweep(progress: Progress) -> None:
        for done, (*_, variant) in enumerate(wanted):
            compute.surprises(reading, variant, layers, progress=lambda *_, done=done: progress(done, len(wanted)))

    waiting.offer(
        "Measure every method at every setting", sweep, unit="settings", icon=":material/timer:", key="swap-sweep"
    )


def _loss_figure(lines: dict[str, list[Step]], exact: float, swapped: int, layers: int) -> None:
    figure = partial(
        against_work,
        lines,
        look=theme.look(),
        hues=methods.HUE,
        settings=methods.SETTINGS,
        y="loss (bits per token)",
        level=("exact", exact),
    )
    named = "all layers" if swapped == layers else f"{swapped} of {layers} layers"
    layout.caption(SWAPPED_IN.text("Loss against work", layers=named))
    rows = [(name, step.setting, step.work, step.value) for name, steps in lines.items() for step in steps]
    best = min(rows, key=lambda row: row[3])
    charts.chart(
        figure,
        name="swapped-sweep",
        alt=f"Loss in bits against work; exact attention: {exact:.2f}; lowest: {best[0]} with {best[3]:.2f}",
        table=pd.DataFrame(rows, columns=["method", "setting", "work", "bits"]),
    )


def cheap_notice(lines: dict[str, list[Step]], share: float = 0.5) -> str:
    """The method with the lowest loss among the settings that take at most this share of the work; empty if none."""
    cheap = [(step.value, step.work, name) for name, steps in lines.items() for step in steps if step.work <= share]
    if not cheap:
        return ""
    bits, work, name = min(cheap)
    return (
        f"Of all settings measured that take at most {share:.0%} of the work, *{name}* has the lowest loss: {bits:.2f} "
        f"bits at {work:.0%} of the work."
    )
