"""Models with windows on one picture: where their windows lie, and what their scores are made of; kept."""

from dataclasses import dataclass

import streamlit as st

from core.vision.position_bias import PositionBias, position_bias_of
from core.vision.window_parts import BiasShare, WindowParts, bias_share, watch_parts
from core.vision.windows import WindowLayer, windows_of
from dashboard.kept import Upload, computing
from dashboard.watched import WatchedImage, watch_image


@dataclass(frozen=True, eq=False)
class Windowed:
    """What a model attends to, and the windows in which it does. Shared by all visitors: never changed."""

    watched: WatchedImage
    layers: tuple[WindowLayer, ...]


@dataclass(frozen=True, eq=False)
class Scored:
    """What the scores are made of, block by block."""

    parts: WindowParts
    biases: tuple[PositionBias, ...]
    shares: tuple[BiasShare, ...]


@st.cache_resource(max_entries=8, show_spinner="Finding the windows …")
def watch_windows(name: str, picture: str | Upload, resolution: int | None) -> Windowed:
    """An image model on a picture: an example's name, or the bytes of a file; ModelError if it has no windows."""
    watched = watch_image(name, picture, resolution)
    _, _, rows, columns = watched.given.pixels.shape
    return Windowed(watched, windows_of(watched.model.network, watched.record, (rows, columns)))


@st.cache_resource(max_entries=2, show_spinner="Taking the scores apart …")
def take_scores_apart(name: str, picture: str | Upload, resolution: int | None) -> Scored:
    """Likewise: content and place of every score, and what merging does."""
    windowed = watch_windows(name, picture, resolution)
    network, layers = windowed.watched.model.network, windowed.layers
    with computing():
        parts = watch_parts(network, windowed.watched.given.pixels, layers)
        biases = tuple(position_bias_of(network, layer) for layer in layers)
        shares = tuple(map(bias_share, parts.content, biases, layers))
    return Scored(parts, biases, shares)
