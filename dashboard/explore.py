"""One model and one input: every head, what is predicted with and without some of them, what to notice."""

from collections.abc import Callable

import streamlit as st

from dashboard import controls, export, formulas, layout, predictions, scenes
from dashboard.components.attention_view import View, attention_view
from dashboard.layout import PageWords
from dashboard.scenes import Head
from dashboard.watched import Watched


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
    stage, below = st.container(), st.container()
    with below:
        with layout.control_bar():
            silenced = controls.silenced_heads(plain)
            takeaway = st.container(width="content")
        with layout.waiting_place():
            changed = silence(silenced) if silenced else None
        predictions.show(plain, changed)
    with stage:
        shown = controls.which_maps(plain, changed)
        choice = attention_view(
            shown.scene,
            key="view",
            view=view,
            token=plain.notice.start.token,
            silenced=controls.shown_heads(shown.scene, silenced),
            on_silence=controls.silence(shown.scene),
            apart=apart if shown is plain else None,
        )
    if not layout.is_presented():
        with takeaway:
            export.download_all_heads(shown)
    call = shown.record.calls[scenes.number_of(shown.scene, choice.layer)]
    layout.notes(words, notice=shown.notice.sentences, formula=lambda: formulas.attention(call))
