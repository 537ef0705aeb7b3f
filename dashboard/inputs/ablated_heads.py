"""The heads that a visitor ablates: their control, and their places in the view."""

from collections.abc import Callable

import streamlit as st

from core.capture import by_layer
from dashboard.address import replace_former_name
from dashboard.components.attention_view import Scene
from dashboard.figures.predictions import AS_IT_IS, HEADS_ABLATED
from dashboard.inputs import controls
from dashboard.recordings import scenes
from dashboard.recordings.watched import Head, Watched


def choose_run(plain: Watched, changed: Watched | None) -> Watched:
    """The run whose attention the view shows, by the visitor's choice: as it is, or with heads ablated."""
    if changed is None:
        return plain
    replace_former_name("maps", {"heads silenced": HEADS_ABLATED})
    choice = controls.choice("Maps", [AS_IT_IS, HEADS_ABLATED], key="maps")
    return changed if choice == HEADS_ABLATED else plain


def places_in_scene(scene: Scene, heads: tuple[Head, ...]) -> tuple[Head, ...]:
    """The heads (layer, head) with the layer's place in the scene; heads of layers that are not in it are dropped."""
    places = [(scenes.layer_of(scene, number), head) for number, head in heads]
    return tuple((layer, head) for layer, head in places if layer is not None)


def toggle_callback(scene: Scene) -> Callable[[int, int], None]:
    """A callback for the view that ablates a head, or restores it if it is ablated."""

    def switch(layer: int, head: int) -> None:
        chosen = set(st.session_state.get("silenced", []))
        st.session_state.silenced = sorted(chosen ^ {f"{scenes.number_of(scene, layer)}.{head}"})

    return switch


def silenced_heads(watched: Watched) -> tuple[Head, ...]:
    """Draw the control of ablated heads, and return them as (layer, head)."""
    heads = [f"{layer}.{head}" for layer, call in by_layer(watched.record.calls).items() for head in range(call.heads)]
    chosen = st.multiselect(
        "Ablated heads (layer.head)",
        heads,
        key="silenced",
        bind="query-params",
        placeholder="none",
    )
    return tuple(_numbers(name) for name in chosen)


def _numbers(name: str) -> Head:
    layer, head = name.split(".")
    return int(layer), int(head)
