"""One model and one input: every head, what is predicted with and without some of them, what to notice."""

import math
from collections.abc import Callable

import streamlit as st

from core.capture import AttentionCall, by_layer
from core.interpretability import mask_of
from dashboard import contents, theme
from dashboard.components.attention_view import View, attention_view
from dashboard.frame import layout
from dashboard.frame.layout import PageWords
from dashboard.inputs import ablated_heads
from dashboard.output import export, predictions
from dashboard.recordings import notices, scenes
from dashboard.recordings.scenes import Head
from dashboard.recordings.watched import Watched

SIDES = (2.6, 1)  # the map, and beside it what is predicted: before and after are seen with it


def explore(
    plain: Watched,
    silence: Callable[[tuple[Head, ...]], Watched],
    words: PageWords,
    *,
    view: View | None = None,
    apart: str | None = None,
) -> None:
    """Show a run; `silence` makes another one in which some heads say nothing.

    `apart` is the address at which a head of the run can be taken apart, if there is one.
    """
    layout.noticed_here()
    view_side, effect_side = st.columns(SIDES, gap="medium")
    with effect_side:
        silenced = ablated_heads.silenced_heads(plain)
        with layout.waiting_place():
            changed = silence(silenced) if silenced else None
        shown = ablated_heads.which_maps(plain, changed)
        predictions.show(plain, changed)
        if not theme.is_presented():
            export.download_all_heads(shown)
    with view_side:
        choice = attention_view(
            shown.scene,
            key="view",
            view=view,
            token=plain.notice.start.token,
            silenced=ablated_heads.shown_heads(shown.scene, silenced),
            on_silence=ablated_heads.switching(shown.scene),
            apart=apart if shown is plain else None,
        )
        export.download_view(shown.scene, start=(choice.layer, choice.head), view=view, token=plain.notice.start.token)
    predictions.show_at_every_token(plain, changed)
    notices.show_unseen(plain.record)
    call = by_layer(shown.record.calls)[scenes.number_of(shown.scene, choice.layer)]
    layout.notes(words, notice=shown.notice.told_first, formula=lambda: _explain(call))


def _explain(call: AttentionCall) -> None:
    """How the weights of the view come about, with this model's sizes."""
    formula, words = formula_of(call)
    if formula:
        st.latex(formula)
    st.markdown(words)
    if formula:
        contents.STEPS.link("Attention step by step")


def formula_of(call: AttentionCall) -> tuple[str, str]:
    """The weights of a call as LaTeX ("" where only its softmax was seen), and in words with its sizes."""
    product = call.product
    if product is None:
        changed = "" if call.rows_sum_to_one else " Rows are as they met the values: some do not sum to 1."
        return "", f"The weights are the model's own softmax, recorded while it ran.{changed}"
    width, scale = product.query.shape[-1], product.scale
    usual = math.isclose(scale, width**-0.5)
    scores = rf"\frac{{q\,k^\top}}{{\sqrt{{{width}}}}}" if usual else rf"{scale:.3g}\;q\,k^\top"
    added, what = "", ""
    if product.is_causal and product.mask is None:
        added, what = " + M", " *M* hides what comes later."
    elif (bias := product.biases(slice(1), [0])) is not None and bias.any():
        visible = mask_of(call)
        if bias[0, 0].expand_as(visible)[visible].any():
            added, what = " + B", " *B* is what the model itself adds to the scores: a bias for positions, or a mask."
        else:
            hides = "hides what comes later" if call.causal else "hides what a token may not look at"
            added, what = " + M", f" *M* {hides}."
    words = (
        f"For each token a query *q*, for each a key *k*, of {width} numbers each, taken from the model while it ran: "
        f"{call.query_length} × {call.key_length} products in every head, and each row made to sum to 1.{what}"
    )
    return rf"\mathrm{{softmax}}\left({scores}{added}\right)", words
