"""The head in view: chosen by a click on a map of all heads or by its numbers, and kept in the address."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.capture import AttentionCall, layer_numbers
from core.errors import CaptureError
from core.images import Patches
from core.text import Tokens
from dashboard import theme, typeset
from dashboard.figures.heat import heat
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.explained_view import explained_view
from dashboard.recordings import scenes
from dashboard.recordings.watched import Head, Watched
from pages.foundations.many_heads import compute
from pages.foundations.many_heads.prose import PAGE

SECTION = PAGE.section("Measured")
Sequence = Tokens | Patches  # what the tokens of a map are
SIDES = {"source": "encoder", "target": "decoder"}
WINDOW = 520  # pixels: such maps are square
MOST_WINDOWS = 12  # whose mean map is shown


def layer_names(watched: Watched) -> list[str]:
    """For each attention call its layer's number and, in an encoder-decoder, where it is: "3 cross"."""
    calls = watched.record.calls
    return [
        f"{number} {_side(watched, call)}".strip() for number, call in zip(layer_numbers(calls), calls, strict=True)
    ]


def numbered(watched: Watched, place: Head) -> Head:
    """A head by its layer's number in the model, of a place that counts the calls of the record."""
    return layer_numbers(watched.record.calls)[place[0]], place[1]


def placed(watched: Watched, head: Head) -> Head:
    """The other way: which call of the record a head of a layer is of."""
    return layer_numbers(watched.record.calls).index(head[0]), head[1]


def _side(watched: Watched, call: AttentionCall) -> str:
    if call.kind != "self":
        return "cross" if call.kind == "cross" else "(self or cross unknown)"
    names = sequences_of(watched, call)
    return SIDES.get(names[0], "") if names else ""


def sequences_of(watched: Watched, call: AttentionCall) -> tuple[str, str] | None:
    """The names of the sequences that a call connects; None if they are windows."""
    model: Any = watched.model  # of a text with its run, or of a picture with its own
    return model.sequences_of(call, watched.run)


def token_names(sequence: Sequence) -> tuple[str, ...]:
    """What tokens are called in a sentence; those of a picture by row and column, or by what they are."""
    if isinstance(sequence, Tokens):
        return tuple(f"“{typeset.readable(label)}”" for label in sequence.labels)
    places = (divmod(place, sequence.columns) for place in range(sequence.rows * sequence.columns))
    prefix = (f"the {label} token" for label in sequence.prefix)
    return (*prefix, *(f"row {row}, column {column}" for row, column in places))


def head_name(place: Head) -> str:
    """As sentences begin with it."""
    return f"Layer {place[0]}, head {place[1]}"


def if_it_is_there(watched: Watched, act: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """`act(layer, head)`, the layer's number in the model, for clicks on a map of all heads: some cells may be none."""

    def click(layer: int, head: int) -> None:
        if layer < len(watched.record.calls) and head < watched.record.calls[layer].heads:
            act(*numbered(watched, (layer, head)))

    return click


def choose(layer: int, head: int) -> None:
    """Take a head into view."""
    st.session_state.layer, st.session_state.head = layer, head


def inputs(watched: Watched) -> Head:
    """Fields for layer and head, where a click on the map is too coarse: which call of the record, and its head."""
    calls, (first_layer, first_head) = watched.record.calls, watched.notice.start.place
    numbers = layer_numbers(calls)
    chosen = controls.layer(numbers, first=first_layer if first_layer in numbers else numbers[0])
    layer, first = numbers.index(chosen), first_head if chosen == first_layer else 0
    return layer, controls.number("Head", calls[layer].heads, key="head", first=first)


def show(watched: Watched, place: Head, below: DeltaGenerator) -> None:
    """The map of one head, beside the small ones of its layer; of windows, the mean.

    A weight that is chosen in it is explained in `below`.
    """
    layer, head = numbered(watched, place)
    try:
        layer_index = scenes.layer_of(watched.scene, layer)
    except CaptureError:  # every layer looks through windows
        layer_index = None
    if layer_index is None:
        _show_windows(watched.record.calls[place[0]], (layer, head))
        return
    own = compute.one_layer(watched, layer_index, head)
    # Another key for each head: the view keeps the head that was chosen in it, and would not follow the map.
    explained_view(
        watched, scene=own, key=f"view-{layer}-{head}", token=watched.notice.start.token, address="row", below=below
    )


def _show_windows(call: AttentionCall, place: Head) -> None:
    layer, head = place
    count = min(MOST_WINDOWS, call.batch_size)
    items = [item * call.batch_size // count for item in range(count)]
    if call.partial:
        layout.caption(SECTION.text("Partial map", rows=call.partial[0], length=call.partial[1]))
        return
    mean = np.mean([call.weights(head=head, item=item).numpy() for item in items], axis=0)
    layout.caption(SECTION.text("Windows", windows=call.batch_size, length=call.key_length, averaged=count))
    figure = partial(heat, mean, look=theme.look(), x="looked at", y="looks")
    with st.container(width=WINDOW):
        charts.chart(figure, name=f"layer-{layer}-head-{head}", alt=f"Mean attention of layer {layer}, head {head}")
