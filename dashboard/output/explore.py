"""One model and one input: all heads, the predictions with and without some of them, and notices."""

import math
from collections.abc import Callable

import streamlit as st

from core.capture import AttentionCall, by_layer
from core.interpretability import mask_of
from dashboard import contents
from dashboard.components.attention_view import View, attention_view
from dashboard.frame import layout
from dashboard.frame.prose import Prose
from dashboard.inputs import ablated_heads
from dashboard.output import explained_view, export, predictions, why_weight
from dashboard.recordings import notices, scenes
from dashboard.recordings.scenes import Head
from dashboard.recordings.watched import Watched

SIDES = (2.6, 1)  # the map, and beside it the predictions, before and after


def explore(
    plain: Watched,
    silence: Callable[[tuple[Head, ...]], Watched],
    prose: Prose,
    *,
    view: View | None = None,
    apart: str | None = None,
) -> None:
    """Show a run; `silence` makes another one with some heads ablated.

    `apart` is the address of a page that takes a head of the run apart, if there is one.
    """
    view_side, effect_side = st.columns(SIDES, gap="medium")
    with effect_side:
        silenced = ablated_heads.silenced_heads(plain)
        with layout.waiting_place():
            changed = silence(silenced) if silenced else None
        displayed = ablated_heads.choose_run(plain, changed)
        predictions.show(plain, changed)
        layout.place_notice()
        export.download_all_heads(displayed)
    own_steps = apart if displayed is plain else None
    with view_side:
        choice = attention_view(
            displayed.scene,
            key="view",
            view=view,
            token=plain.notice.start.token,
            silenced=ablated_heads.places_in_scene(displayed.scene, silenced),
            on_silence=ablated_heads.toggle_callback(displayed.scene),
            apart=own_steps,
            explains=why_weight.KEY,
        )
        export.download_view(
            displayed.scene, start=(choice.layer, choice.head), view=view, token=plain.notice.start.token
        )
    number = scenes.number_of(displayed.scene, choice.layer)
    explained_view.explain(displayed, choice, key="view", is_plain=displayed is plain)
    predictions.show_classes(plain)
    predictions.show_at_every_token(plain, changed)
    notices.show_unseen(plain.record)
    call = by_layer(displayed.record.calls)[number]
    layout.notes(prose, notice=displayed.notice.ordered, formula=lambda: _explain(call))


def _explain(call: AttentionCall) -> None:
    """Write how the weights of the view are computed, with this model's sizes."""
    formula, words = formula_of(call)
    if formula:
        st.latex(formula)
    st.markdown(words)
    if formula:
        contents.STEPS.link("Attention step by step", show=contents.EIGHT_STEPS)


def formula_of(call: AttentionCall) -> tuple[str, str]:
    """The formula of a call's weights as LaTeX ("" if only its softmax was recorded), and in words with its sizes."""
    product = call.product
    if product is None:
        changed = "" if call.rows_sum_to_one else " Rows are as they met the values: some do not sum to 1."
        return "", f"The weights are the model's own softmax, recorded while it ran.{changed}"
    width, scale = product.query.shape[-1], product.scale
    is_standard = math.isclose(scale, width**-0.5)
    scores = rf"\frac{{q\,k^\top}}{{\sqrt{{{width}}}}}" if is_standard else rf"{scale:.3g}\;q\,k^\top"
    term, note = "", ""
    if product.is_causal and product.mask is None:
        term, note = " + M", " *M* hides what comes later."
    elif (bias := product.biases(slice(1), [0])) is not None and bias.any():
        visible = mask_of(call)
        if bias[0, 0].expand_as(visible)[visible].any():
            term, note = " + B", " *B* is what the model itself adds to the scores: a bias for positions, or a mask."
        else:
            purpose = "hides what comes later" if call.causal else "hides what a token may not look at"
            term, note = " + M", f" *M* {purpose}."
    words = (
        f"For each token a query *q*, for each a key *k*, of {width} numbers each, taken from the model while it ran: "
        f"{call.query_length} × {call.key_length} products in every head, and each row made to sum to 1.{note}"
    )
    return rf"\mathrm{{softmax}}\left({scores}{term}\right)", words
