"""The maps over a photograph: every layer in which all patches look at all patches, and how far its heads look."""

from dataclasses import dataclass

import numpy as np
import torch

from core.capture import AttentionCall, by_layer
from core.errors import CaptureError
from core.heads.measures import shares
from core.images import Patches
from core.vision.distance import even_distance, mean_distance, patch_distances, smallest_set
from dashboard import typeset
from dashboard.cache.memo import cached
from dashboard.components.photo_maps import Dense, Factors, PhotoLayer, PhotoScene
from dashboard.components.photo_maps.packing import overview_of
from dashboard.recordings.watched import WatchedImage
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Maps")
SHARE = 0.6  # of the mass that falls on patches, as in DINO's figure

Grids = dict[int, Patches]  # of each call, by its number in the record


@dataclass(frozen=True, eq=False)
class Measured:
    """What all heads of a layer come to: how far they look, and where their first prefix token looks."""

    number: int  # of the call in the record
    patches: Patches
    distances: np.ndarray  # (head), pixels; NaN where nothing falls on patches
    even: float  # pixels, if attention were even
    holders: np.ndarray | None  # (head): how many patches hold SHARE of what the first prefix token gives to patches
    to_prefix: np.ndarray | None  # (head): what a patch gives to all prefix tokens on average


@cached("Looking …")
def scene_of(watched: WatchedImage) -> PhotoScene:
    """What the view shows of a run; CaptureError if no layer lets every patch look at every patch."""
    grids = grids_of(watched)
    with torch.inference_mode():
        calls = by_layer(watched.record.calls)
        layers = tuple(_layer(number, calls[number], grid) for number, grid in grids.items())
        number, head = _start(watched, grids)
        start = (list(grids).index(number), head)
        scene = PhotoScene(watched.inputs.photograph, layers, title=watched.model.title, start=start)
        overview_of(scene)  # computed here, once, and not for each visitor
    return scene


@cached("Measuring how far heads look …")
def measured_layers(watched: WatchedImage) -> tuple[Measured, ...]:
    """How far every head looks, how narrowly its first prefix token does, and what patches give to such tokens."""
    with torch.inference_mode():
        return tuple(_measured(watched, number, patches) for number, patches in grids_of(watched).items())


def grids_of(watched: WatchedImage) -> Grids:
    """The calls of whole pictures and the patches that look there; CaptureError if there is none."""
    grids = {}
    for number, call in by_layer(watched.record.calls).items():
        names = watched.model.sequences_of(call, watched.run)
        if names is None or names[0] != names[1]:  # in some models a few tokens look at coarser patches
            continue
        grid = watched.run.sequences[names[0]]
        if grid.rows * grid.columns:
            grids[number] = grid
    # Where windows look, the last of them may fill its whole grid: one layer of many would be shown here.
    if not grids or any(call.batch_size > 1 for call in watched.record.calls):
        raise CaptureError(_why_none(watched))
    return grids


def left_out(watched: WatchedImage) -> str | None:
    """A sentence about the layers without a map: pooling heads (SigLIP), class attention (CaiT), coarser grids."""
    grids = grids_of(watched)
    calls = [call for number, call in by_layer(watched.record.calls).items() if number not in grids]
    if not calls:
        return None
    counts = {
        "layers": len(calls),
        "total": len(watched.record.calls),
        "are": "is" if len(calls) == 1 else "are",
        "paths": ", ".join(f"`{call.path}`" for call in calls),
    }
    if any(call.query_length > 1 for call in calls):
        return SECTION.text("Layers with another grid", **counts)
    token = _asks_alone(watched, calls[0])
    query = f"the {typeset.plain(token)} token" if token else "a vector of the head's own, no token of the picture,"
    return SECTION.text("Layers with one query", query=query, **counts)


def _why_none(watched: WatchedImage) -> str:
    title, calls = watched.model.title, watched.record.calls
    if any(call.batch_size > 1 for call in calls):
        return (
            f"The heads of {title} look within windows (the first of {calls[0].query_length} places), not from every "
            "patch at every other. Open it in Vision / Swin, where its windows are stitched over the photograph."
        )
    if calls and all(call.query_length == 1 for call in calls) and (token := _asks_alone(watched, calls[0])):
        return (
            f"In the {len(calls)} attention layers of {title} that can be watched the {token} token alone looks at the "
            "patches, to sum them up for the head: it has no place in the grid of patches, so there is no map for each "
            "patch. Explore / Image shows where it looks."
        )
    return (
        f"None of the {len(calls)} attention layers of {title} lets every patch look at every patch, so there is no "
        "map to lay over the photograph. Explore / Image shows what there is."
    )


def _asks_alone(watched: WatchedImage, call: AttentionCall) -> str | None:
    """The token of the model that asks alone in a layer; None for a vector of the head's own, which is no token."""
    names = watched.model.sequences_of(call, watched.run)
    prefix = () if names is None else watched.run.sequences[names[0]].prefix
    return prefix[0] if prefix else None


def _layer(number: int, call: AttentionCall, grid: Patches) -> PhotoLayer:
    """Queries and keys where they alone make the weights, else the weights; CaptureError for weights below 0."""
    call.check_not_negative()
    product = call.product
    answers: Dense | Factors
    if product is None or product.mask is not None or product.is_causal or call.written is not None:
        answers = Dense(lambda head: call.weights(head=head).numpy())
    else:
        assert call.key is not None
        answers = Factors(product.query[0].float().numpy(), call.key[0].float().numpy(), product.scale)
    return PhotoLayer(str(number), call.heads, grid.rows, grid.columns, answers, grid.prefix, call.path)


def _start(watched: WatchedImage, grids: Grids) -> tuple[int, int]:
    """In the last layer the head whose first prefix token looks most narrowly; without such a token the first head."""
    number, patches = list(grids.items())[-1]
    call, before = by_layer(watched.record.calls)[number], len(patches.prefix)
    if not before:
        return number, 0
    rows = torch.stack([call.weights(head=head, queries=[0])[0, before:] for head in range(call.heads)])
    return number, int(smallest_set(rows, SHARE).sum(dim=-1).argmin())


def _measured(watched: WatchedImage, number: int, patches: Patches) -> Measured:
    call, before = by_layer(watched.record.calls)[number], len(patches.prefix)
    _, _, rows, columns = watched.inputs.pixels.shape
    gaps = patch_distances(patches, (rows // patches.rows, columns // patches.columns))
    distances, holders, to_prefix = [], [], []
    for head in range(call.heads):
        weights = call.weights(head=head)
        distances.append(float(mean_distance(weights, patches, gaps)))
        if before:
            holders.append(int(smallest_set(weights[0, before:], SHARE).sum()))
            to_prefix.append(float(shares(weights)[before:, :before].sum(dim=1).nanmean()))
    own = (np.array(holders), np.array(to_prefix)) if before else (None, None)
    return Measured(number, patches, np.array(distances), even_distance(gaps), *own)
