"""The error of a head's output against the work, for one method or all of them."""

import pandas as pd
import streamlit as st

from core.efficient import LowRank, Variant
from core.efficient.approximation_error import Comparison
from core.efficient.error_curve import SETTING, Point, settings_of, with_setting
from dashboard import charts, layout
from pages.scale.efficient_attention import compute as kept
from pages.scale.efficient_attention import methods
from pages.scale.efficient_attention import words_maps as said
from pages.scale.efficient_attention.figures_error_cost import Step, error_cost
from pages.scale.efficient_attention.methods import Method

FEW = 512  # tokens: up to here the curves of all methods take no time


def cost_curve(
    own: kept.Own, layer: int, head: int, method: Method, found: Comparison, *, causal: bool
) -> tuple[Point, ...]:
    """The figure; the points of the method that is chosen."""
    st.markdown("**Error against work**")
    others = st.toggle(
        said.COMPARE,
        value=found.tokens <= FEW,
        key="maps_others" if found.tokens <= FEW else "maps_others_long",
        bind="query-params",
    )
    variants = {method.name: method.variant}
    if others:
        offered = methods.on_offer(causal=causal, measured=False)
        variants |= {
            name: methods.standard(name, found.tokens, causal=causal) for name in offered if name != method.name
        }
    lines: dict[str, tuple[Point, ...]] = {}
    with layout.waiting_place(), st.spinner("Computing other settings; with a long text this takes seconds …"):
        for name in methods.KINDS:
            if name in variants and not (_too_long(variants[name], found.tokens) and name != method.name):
                lines[name] = kept.along(own, layer, head, _cheapest(variants[name], found.tokens))
    _figure(lines, method, found)
    points = lines[method.name]
    if not layout.is_presented():
        setting = said.SETTINGS[method.name]
        st.caption(said.ALONG.format(setting=setting, least=points[0].setting, most=points[-1].setting))
    return points


def _too_long(variant: Variant, tokens: int) -> bool:
    return isinstance(variant, LowRank) and tokens > kept.LONGEST_RANK


def _cheapest(variant: Variant, tokens: int) -> Variant:
    """The same for all settings, so that a curve is kept once."""
    return with_setting(variant, settings_of(variant, tokens)[0])


def _figure(lines: dict[str, tuple[Point, ...]], method: Method, found: Comparison) -> None:
    steps = {
        name: [Step(point.cost, point.error, f"{said.SETTINGS[name]} {point.setting:,}") for point in points]
        for name, points in lines.items()
    }
    now = Step(found.cost, found.output_error, f"{said.SETTINGS[method.name]} {method.setting:,}")
    figure = error_cost(
        steps,
        look=layout.look(),
        hues=methods.HUE,
        y="relative error of the output",
        now=(method.name, now),
        dashed=frozenset({methods.LOW_RANK}),
    )
    highest = max(1.0, *(step.value for step in steps[method.name]), now.value)
    figure.update_yaxes(range=[-0.04 * min(highest, 2), 1.05 * min(highest, 2)])
    table = pd.DataFrame(
        [
            {
                "method": name,
                "setting": SETTING[methods.KINDS[name]],
                "value": p.setting,
                "work": p.cost,
                "error": p.error,
            }
            for name, points in lines.items()
            for p in points
        ]
    )
    charts.chart(
        figure,
        name="maps-error-cost",
        alt=f"Relative error of the output against work; {method.name} now: {now.value:.2g} at {now.work:.2g} of it",
        table=table,
    )
