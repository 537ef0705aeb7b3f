"""Heads that a visitor silences: which they are, by the address, and what the view shows of them."""

from collections.abc import Callable

import streamlit as st

from core.capture import by_layer
from dashboard.components.attention_view import Scene
from dashboard.inputs import controls
from dashboard.recordings import scenes
from dashboard.recordings.watched import Head, Watched


def which_maps(plain: Watched, changed: Watched | None) -> Watched:
    """Whether the view shows attention as it is, or as it becomes when heads are silenced."""
    if changed is None:
        return plain
    shown = controls.choice("Maps", ["as it is", "heads silenced"], key="maps")
    return changed if shown == "heads silenced" else plain


def shown_heads(scene: Scene, heads: tuple[Head, ...]) -> tuple[Head, ...]:
    """The same heads by their places in the scene."""
    places = [(scenes.layer_of(scene, number), head) for number, head in heads]
    return tuple((layer, head) for layer, head in places if layer is not None)


def switching(scene: Scene) -> Callable[[int, int], None]:
    """What to do when the view asks to silence a head, or to let it speak again if it is silenced."""

    def switch(layer: int, head: int) -> None:
        chosen = set(st.session_state.get("silenced", []))
        st.session_state.silenced = sorted(chosen ^ {f"{scenes.number_of(scene, layer)}.{head}"})

    return switch


def silenced_heads(watched: Watched) -> tuple[Head, ...]:
    """The heads that the visitor has silenced, with the way to wake them again."""
    heads = [f"{layer}.{head}" for layer, call in by_layer(watched.record.calls).items() for head in range(call.heads)]
    chosen = st.multiselect(
        "Silenced heads (layer.head)",
        heads,
        key="silenced",
        bind="query-params",
        placeholder="none",
    )
    return tuple(_numbers(name) for name in chosen)


def _numbers(name: str) -> Head:
    layer, head = name.split(".")
    return int(layer), int(head)
