"""Maps within windows over a photograph, and what every head does in its windows; kept for the next visitor."""

from dataclasses import dataclass

import streamlit as st

from core.vision.window_measures import InWindows, measure_in_windows
from core.vision.windows import window_weights
from dashboard.components.photo_maps import PhotoLayer, PhotoScene, Windows
from dashboard.kept import Upload, computing
from pages.vision.swin.compute import Windowed, watch_windows


@dataclass(frozen=True, eq=False)
class Mapped:
    """What the view shows, and a measure for each head of each layer."""

    windowed: Windowed
    scene: PhotoScene
    heads: tuple[tuple[InWindows, ...], ...]


@st.cache_resource(max_entries=8, show_spinner="Looking into the windows …")
def watch_maps(name: str, picture: str | Upload, resolution: int | None) -> Mapped:
    """An image model on a picture; ModelError if it has no windows."""
    windowed = watch_windows(name, picture, resolution)
    with computing():
        heads = tuple(_measured(windowed, number) for number in range(len(windowed.layers)))
        layers = tuple(_layer(windowed, number) for number in range(len(windowed.layers)))
        watched = windowed.watched
        scene = PhotoScene(watched.given.shown, layers, watched.model.title, _start(windowed, heads))
        assert scene.overview  # computed here, once, and not for each visitor
    return Mapped(windowed, scene, heads)


def _layer(windowed: Windowed, number: int) -> PhotoLayer:
    layer, call = windowed.layers[number], windowed.watched.record.calls[number]
    return PhotoLayer(
        label=f"block {layer.block}" + (", shifted" if layer.shifted else ""),
        group=f"stage {layer.stage}",
        heads=call.heads,
        rows=layer.rows,
        columns=layer.columns,
        answers=Windows(lambda head: window_weights(call, head).numpy(), layer.places.numpy()),
        path=layer.path,
    )


def _measured(windowed: Windowed, number: int) -> tuple[InWindows, ...]:
    layer, call = windowed.layers[number], windowed.watched.record.calls[number]
    pixels = windowed.watched.given.pixels.shape[-2:]
    place = pixels[0] / layer.rows, pixels[1] / layer.columns
    return tuple(measure_in_windows(window_weights(call, head), layer, place) for head in range(call.heads))


def _start(windowed: Windowed, heads: tuple[tuple[InWindows, ...], ...]) -> tuple[int, int]:
    """The head that is farthest from an even map, among the blocks that have several windows."""
    several = [number for number, layer in enumerate(windowed.layers) if len(layer.places) > 1]
    return max(
        ((number, head) for number in several or range(len(heads)) for head in range(len(heads[number]))),
        key=lambda each: heads[each[0]][each[1]].strength,
    )
