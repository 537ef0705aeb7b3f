"""Heads that say nothing: what the model loses, what it predicts instead, and which other maps change."""

from collections.abc import Callable
from math import log

import numpy as np
import streamlit as st

from core.errors import AtlasError
from core.heads.ablation import Trial
from dashboard import controls, layout, predictions
from dashboard.components.cell_map import cell_map
from dashboard.watched import Head, Watched
from pages.foundations.many_heads import changed_maps, chosen, costs, noticed
from pages.foundations.many_heads import compute as runs_heads
from pages.foundations.many_heads import words as words_heads
from pages.foundations.many_heads.given import Given

FAINT = 10  # percent of the attention: where less has moved, the map stays pale


def show(given: Given) -> None:
    """Silence heads by clicking; loss, predictions and maps before and after; then each head alone."""
    watched = given.watched
    stage = st.container()
    with layout.control_bar():
        heads = controls.silenced_heads(watched)
    with layout.waiting_place():
        changed = given.silenced(heads) if heads else None
        moved = runs_heads.attention_moved(watched, changed, heads) if changed else None
    with stage:
        map_side, loss_side = st.columns([3, 2], gap="large")
        with map_side:
            _show_map(watched, heads, moved)
        with loss_side:
            trial = _trial(watched)
            if trial:
                _show_loss(trial, changed)
    predictions.show(watched, changed)
    if changed is not None and moved is not None:
        changed_maps.show(watched, changed, moved)
    if trial:
        costs.show(watched, trial, heads, on_click=_switch(watched))
    layout.notes(
        words_heads.SILENCED,
        notice=_noticed(trial, watched, changed, len(heads)) if trial else (),
        formula=lambda: _explain(trial),
    )


def _noticed(trial: Trial, watched: Watched, changed: Watched | None, count: int) -> tuple[str, ...]:
    after = None if changed is None or changed.run.logits is None else trial.loss_of(changed.run.logits)
    return (noticed.silenced(trial, count, after), *noticed.alone(watched, runs_heads.known_costs(watched)))


def _trial(watched: Watched) -> Trial | None:
    """What the model can lose; a sentence where it is nothing."""
    try:
        return runs_heads.trial(watched)
    except AtlasError as error:
        st.info(layout.plain(str(error)), icon=":material/info:")
        return None


def _switch(watched: Watched) -> Callable[[int, int], None]:
    """What a click does: it silences the head, or lets it speak again."""

    def switch(layer: int, head: int) -> None:
        if layer < len(watched.record.calls) and head < watched.record.calls[layer].heads:
            names = set(st.session_state.get("silenced") or []) ^ {f"{layer}.{head}"}
            st.session_state.silenced = sorted(names)

    return switch


def _show_map(watched: Watched, heads: tuple[Head, ...], moved: np.ndarray | None) -> None:
    """All heads: how much of their attention has moved since the chosen ones are silent."""
    st.markdown("**Click heads to silence them** and to let them speak again.")
    values = np.zeros(_shape(watched), dtype=np.float32) if moved is None else 100 * moved
    cell_map(
        values,
        key="silence",
        x="head",
        y="layer",
        tell="layer {row}, head {column}: {value}% of its attention has moved",
        rows=chosen.layer_names(watched),
        limits=(0.0, max(FAINT, float(np.nanmax(values, initial=0.0)))),
        marked=heads,
        mark="silenced",
        on_click=_switch(watched),
        alt=f"{len(heads)} of {sum(call.heads for call in watched.record.calls)} heads are silenced",
        name="moved",
    )


def _shape(watched: Watched) -> tuple[int, int]:
    calls = watched.record.calls
    return len(calls), max(call.heads for call in calls)


def _show_loss(trial: Trial, changed: Watched | None) -> None:
    """The loss before and after, in nats and bits."""
    before = trial.whole
    st.metric("Loss while all heads speak", f"{before:.3f} nats")
    if changed is None or changed.run.logits is None:
        st.caption(f"{before / log(2):.3f} bits")
    else:
        after = trial.loss_of(changed.run.logits)
        st.metric(
            "Loss without the silenced heads", f"{after:.3f} nats", f"{after - before:+.3f} nats", delta_color="inverse"
        )
        st.caption(f"{before / log(2):.3f} bits before, {after / log(2):.3f} bits after")
    if not layout.is_presented():
        st.caption(words_heads.LOSS[trial.quantity])


def _explain(trial: Trial | None) -> None:
    st.latex(r"\mathcal{L}_{S}=-\frac{1}{n}\sum_{i=1}^{n}\log p_{S}(y_i)")
    number = "" if trial is None else f" Here the whole model has {trial.whole:.3f} nats."
    st.markdown(
        "*S* are the silenced heads: their weights are 0, so they add nothing (Michel et al. 2019, section 3.1 calls "
        f"this a mask). The cost of *S* is its loss minus that of the whole model.{number} One bit is 0.693 nats."
    )
    st.latex(r"\mathrm{moved}=\frac{1}{n}\sum_i\tfrac{1}{2}\sum_j\lvert A_{ij}-A^{S}_{ij}\rvert")
    st.caption("The share of a head's attention that went elsewhere (total variation), from 0 to 1.")
