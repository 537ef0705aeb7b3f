"""Maps over a photograph and what they come to, kept for the next visitor who asks for the same."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import streamlit as st
import torch

from core.images import Patches
from core.vision.distance import even_distance, mean_distance, pixel_gaps, smallest_set
from dashboard.components.photo_maps import PhotoScene
from dashboard.kept import computing
from dashboard.watched import WatchedImage
from pages.vision.vision_transformer.photo_scene import Grids, grids_of, photo_scene

SHARE = 0.6  # of the mass that falls on patches, as in DINO's figure


@dataclass(frozen=True, eq=False)
class Measured:
    """What all heads of a layer come to: how far they look, and where their first prefix token looks."""

    number: int  # of the call in the record
    patches: Patches
    distances: np.ndarray  # (head), pixels; NaN where nothing falls on patches
    even: float  # pixels, if attention were even
    holders: np.ndarray | None  # (head): how many patches hold SHARE of what the first prefix token gives to patches
    to_prefix: np.ndarray | None  # (head): what a patch gives to all prefix tokens on average


class _Kept(TypedDict, total=False):
    scene: PhotoScene
    measured: tuple[Measured, ...]


def scene_of(watched: WatchedImage) -> PhotoScene:
    """What the view shows of a run; CaptureError if no layer lets every patch look at every patch."""
    place = _place(watched.identity)
    if "scene" not in place:
        grids = grids_of(watched)
        with computing(), torch.inference_mode():
            scene = photo_scene(watched, grids, _start(watched, grids))
            assert scene.overview  # computed here, once, and not for each visitor
        place["scene"] = scene
    return place["scene"]


def measured_layers(watched: WatchedImage) -> tuple[Measured, ...]:
    """How far every head looks, and how narrowly its class token does."""
    place = _place(watched.identity)
    if "measured" not in place:
        with computing(), torch.inference_mode():
            place["measured"] = tuple(_measured(watched, *one) for one in grids_of(watched).items())
    return place["measured"]


@st.cache_resource(max_entries=8, show_spinner=False)
def _place(identity: Hashable) -> _Kept:
    """An empty place, shared by all who ask for the same."""
    del identity
    return {}


def _start(watched: WatchedImage, grids: Grids) -> tuple[int, int]:
    """In the last layer the head whose first prefix token looks most narrowly; without such a token the first head."""
    number, patches = list(grids.items())[-1]
    call, before = watched.record.calls[number], len(patches.prefix)
    if not before:
        return number, 0
    rows = torch.stack([call.weights(head=head, queries=[0])[0, before:] for head in range(call.heads)])
    return number, int(smallest_set(rows, SHARE).sum(dim=-1).argmin())


def _measured(watched: WatchedImage, number: int, patches: Patches) -> Measured:
    call, before = watched.record.calls[number], len(patches.prefix)
    gaps = pixel_gaps(patches, _pixels_of_a_patch(watched, patches))
    distances: list[float] = []
    holders: list[int] = []
    to_prefix: list[float] = []
    for head in range(call.heads):
        weights = call.weights(head=head)
        distances.append(float(mean_distance(weights, patches, gaps)))
        if before:
            holders.append(int(smallest_set(weights[0, before:], SHARE).sum()))
            to_prefix.append(float(weights[before:, :before].sum(dim=1).mean()))
    return Measured(
        number,
        patches,
        np.array(distances),
        even_distance(gaps),
        np.array(holders) if before else None,
        np.array(to_prefix) if before else None,
    )


def _pixels_of_a_patch(watched: WatchedImage, patches: Patches) -> tuple[int, int]:
    """Rows and columns of pixels of the picture, as the model takes it, that one patch of this grid covers."""
    _, _, rows, columns = watched.given.pixels.shape
    return rows // patches.rows, columns // patches.columns
