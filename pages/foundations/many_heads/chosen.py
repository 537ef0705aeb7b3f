"""The head in view: chosen by a click on a map of all heads or by its numbers, and kept in the address."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

from core.capture import AttentionCall
from core.errors import CaptureError
from dashboard import charts, controls, layout, scenes
from dashboard.components.attention_view import Scene, attention_view
from dashboard.figures.heat import heat
from dashboard.watched import Head, Watched
from pages.foundations.many_heads import words as words_heads

SIDES = {"source": "encoder", "target": "decoder"}
WINDOW = 520  # pixels: such maps are square
TOLD = 12  # windows at most, whose mean map is shown


def layer_names(watched: Watched) -> list[str]:
    """For each attention call its number and, in an encoder-decoder, where it is: "3 cross"."""
    return [f"{layer} {_side(watched, call)}".strip() for layer, call in enumerate(watched.record.calls)]


def on_click(watched: Watched) -> Callable[[int, int], None]:
    """What a click on a map of all heads does: it chooses the head."""

    def choose(layer: int, head: int) -> None:
        if layer < len(watched.record.calls) and head < watched.record.calls[layer].heads:
            st.session_state.layer, st.session_state.head = layer, head

    return choose


def inputs(watched: Watched) -> Head:
    """Fields for layer and head, where a click on the map is too coarse."""
    calls, (first_layer, first_head) = watched.record.calls, watched.notice.start.place
    layer = controls.number("Layer", len(calls), key="layer", first=first_layer)
    first = first_head if layer == first_layer else 0
    return layer, controls.number("Head", calls[layer].heads, key="head", first=first)


def show(watched: Watched, chosen: Head) -> None:
    """The map of one head, beside the small ones of its layer; of windows, the mean."""
    layer, head = chosen
    scene = _scene(watched)
    place = None if scene is None else scenes.layer_of(scene, layer)
    if scene is None or place is None:
        _show_windows(watched.record.calls[layer], chosen)
        return
    own = replace(scene, layers=(scene.layers[place],), start=(0, head))
    # Another key for each head: the view keeps the head that was chosen in it, and would not follow the map.
    attention_view(own, key=f"view-{layer}-{head}", token=watched.notice.start.token, address=False)


def _side(watched: Watched, call: AttentionCall) -> str:
    if call.kind == "cross":
        return "cross"
    names = watched.model.sequences_of(call, watched.run)  # type: ignore[arg-type]  # model and run are of one kind
    return SIDES.get(names[0], "") if names else ""


def _scene(watched: Watched) -> Scene | None:
    try:
        return watched.scene
    except CaptureError:  # every layer looks through windows
        return None


def _show_windows(call: AttentionCall, chosen: Head) -> None:
    layer, head = chosen
    count = min(TOLD, call.batch_size)
    items = [item * call.batch_size // count for item in range(count)]
    mean = np.mean([call.weights(head=head, item=item).numpy() for item in items], axis=0)
    st.caption(words_heads.WINDOWS.format(windows=call.batch_size, length=call.key_length, shown=count))
    figure = heat(mean, look=layout.look(), x="looked at", y="looks")
    with st.container(width=WINDOW):
        charts.chart(figure, name=f"layer-{layer}-head-{head}", alt=f"Mean attention of layer {layer}, head {head}")
