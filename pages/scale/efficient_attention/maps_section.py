"""Maps: the exact map of a real head, an approximation of it, and what is lost between them."""

import streamlit as st

from core.efficient import Linformer, Sparse
from core.efficient.approximation_error import Comparison
from dashboard import controls, layout
from pages.scale.efficient_attention import compute as kept
from pages.scale.efficient_attention import maps_formula, maps_notices, methods
from pages.scale.efficient_attention import words_maps as said
from pages.scale.efficient_attention.cost_curve import cost_curve
from pages.scale.efficient_attention.given import Given, given
from pages.scale.efficient_attention.links_part import links_part
from pages.scale.efficient_attention.mask_part import mask_part
from pages.scale.efficient_attention.methods import Method
from pages.scale.efficient_attention.side_by_side import errors_in_numbers, side_by_side


def show() -> None:
    """Text, head and method; three maps; the errors; the lost links; the curve; the mask and how far it reaches."""
    chosen = given()
    reading = chosen.reading
    with layout.control_bar():
        far_layer, far_head = kept.farthest(chosen.own)
        layer = controls.number("Layer", len(reading.calls), key="layer", first=far_layer)
        head = controls.number(
            "Head", reading.calls[layer].heads, key="head", first=far_head if layer == far_layer else 0
        )
    of_head = kept.head(chosen.own, layer, head)
    method = methods.choose(reading.length, causal=of_head.causal, key="maps")
    with layout.waiting_place(), st.spinner(f"Comparing {method.name} with the exact map …"):
        found = kept.comparison(chosen.own, layer, head, method.variant)
    errors_in_numbers(found)
    side_by_side(found, method.name, reading.tokens)
    with layout.waiting_place():
        _say(found, method, causal=of_head.causal)
    lost, along = st.columns([2, 3], gap="large")
    with lost:
        links_part(found, reading.tokens)
    with along:
        points = cost_curve(chosen.own, layer, head, method, found, causal=of_head.causal)
    heard = _mask(chosen, method, causal=of_head.causal)
    layout.notes(
        said.NOTES,
        notice=maps_notices.sentences(found, method, points, reading.tokens, heard),
        formula=lambda: maps_formula.show(found, method, of_head.query.shape[-1]),
    )


def _say(found: Comparison, method: Method, *, causal: bool) -> None:
    if found.sampled:
        st.caption(said.SAMPLED.format(tokens=found.tokens, rows=len(found.rows)))
    if causal and method.variant.looks_ahead:
        st.caption(said.AHEAD.format(method=method.name))
    if causal and isinstance(method.variant, Linformer):
        rows, block = method.variant.matrix(found.tokens).shape
        st.caption(said.CAUSAL_LINFORMER.format(block=block, rows=rows))


def _mask(chosen: Given, method: Method, *, causal: bool) -> tuple[int, int] | None:
    """How many tokens the last one hears of, after how many layers; None where nothing is masked."""
    variant, length = method.variant, chosen.reading.length
    if isinstance(variant, Sparse):
        return mask_part(variant, length, layers=len(chosen.reading.calls))
    st.caption((said.NO_MASK if causal else said.NO_MASK_BOTH).format(method=method.name))
    return None
