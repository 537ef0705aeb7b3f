"""From a watched photograph to what photo_maps shows: every layer in which all patches look at all patches."""

from core.capture import AttentionCall
from core.errors import CaptureError, ModelError
from core.images import Patches
from core.zoo import ImageModel
from dashboard import layout
from dashboard.components.photo_maps import Dense, Factors, PhotoLayer, PhotoScene
from dashboard.watched import WatchedImage
from pages.vision.vision_transformer import words_maps as said

Grids = dict[int, Patches]  # of each call, by its number in the record


def check_attends(model: ImageModel) -> None:
    """ModelError for a model that has no attention heads."""
    if not model.attends:
        raise ModelError(
            f"{model.title} has no attention heads, so there is no map of a head to show. What it looks at is told by "
            "its gradients: open “Explanations” above, or choose a vision transformer."
        )


def grids_of(watched: WatchedImage) -> Grids:
    """The calls of whole pictures and the patches that look there; CaptureError if there is none."""
    found = {}
    for number, call in enumerate(watched.record.calls):
        names = watched.model.sequences_of(call, watched.run)
        if names is None or names[0] != names[1]:  # in some models a few tokens look at coarser patches
            continue
        grid = watched.run.sequences[names[0]]
        if grid.rows * grid.columns:
            found[number] = grid
    # Where windows look, the last of them may fill its whole grid: one layer of many would be shown here.
    if not found or any(call.batch_size > 1 for call in watched.record.calls):
        raise CaptureError(_why_none(watched))
    return found


def left_out(watched: WatchedImage, grids: Grids) -> str | None:
    """A sentence about the layers without a map: pooling heads (SigLIP), class attention (CaiT), coarser grids."""
    calls = {number: call for number, call in enumerate(watched.record.calls) if number not in grids}
    if not calls:
        return None
    paths = ", ".join(f"`{call.path}`" for call in calls.values())
    counted = {"total": len(watched.record.calls), "are": "is" if len(calls) == 1 else "are", "paths": paths}
    counted["layers"] = len(calls)
    if any(call.query_length > 1 for call in calls.values()):
        return said.OTHER_GRIDS.format(**counted)
    token = _alone(watched, next(iter(calls.values())))
    who = said.CLASS_TOKEN.format(token=layout.plain(token)) if token else said.OWN_VECTOR
    return said.LEFT_OUT.format(who=who, **counted)


def photo_scene(watched: WatchedImage, grids: Grids, start: tuple[int, int]) -> PhotoScene:
    """The scene; `start` is the head that is in view at first, by the number of its call."""
    layers = tuple(_layer(number, watched.record.calls[number], grid) for number, grid in grids.items())
    return PhotoScene(
        watched.given.shown, layers, title=watched.model.title, start=(list(grids).index(start[0]), start[1])
    )


def _layer(number: int, call: AttentionCall, grid: Patches) -> PhotoLayer:
    return PhotoLayer(str(number), call.heads, grid.rows, grid.columns, _answers(call), grid.prefix, call.path)


def _answers(call: AttentionCall) -> Dense | Factors:
    """Queries and keys where they alone make the weights, else the weights."""
    product = call.product
    if product is None or product.mask is not None or product.is_causal or call.written is not None:
        return Dense(lambda head: call.weights(head=head).numpy())
    assert call.query is not None
    assert call.key is not None
    return Factors(call.query[0].float().numpy(), call.key[0].float().numpy(), product.scale)


def _alone(watched: WatchedImage, call: AttentionCall) -> str | None:
    """The token of the model that asks alone in a layer; None for a vector of the head's own, which is no token."""
    names = watched.model.sequences_of(call, watched.run)
    prefix = () if names is None else watched.run.sequences[names[0]].prefix
    return prefix[0] if prefix else None


def _why_none(watched: WatchedImage) -> str:
    title, calls = watched.model.title, watched.record.calls
    if any(call.batch_size > 1 for call in calls):
        tokens = calls[0].query_length
        return (
            f"The heads of {title} look within windows (the first of {tokens} places), not from every patch at every "
            "other. Open it in Vision / Swin, where its windows are stitched over the photograph."
        )
    if calls and all(call.query_length == 1 for call in calls) and (token := _alone(watched, calls[0])):
        return (
            f"In the {len(calls)} attention layers of {title} that can be watched the {token} token alone looks at the "
            "patches, to sum them up for the head: it has no place in the grid of patches, so there is no map for each "
            "patch. Explore / Image shows where it looks."
        )
    return (
        f"None of the {len(calls)} attention layers of {title} lets every patch look at every patch, so there is no "
        "map to lay over the photograph. Explore / Image shows what there is."
    )
