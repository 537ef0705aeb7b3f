"""The sources of a masked autoencoder's masked patches: its attention over the full grid of patches.

layers = layers_over_all_patches(record, hidden)    # encoder, then decoder: (head, token, token)
shares = decoder_attention_shares(layers, hidden)   # for each decoder layer, the attention of masked patches
rolled = rollout_through_layers(layers)             # one map: from the tokens after the last layer to the input
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..capture import AttentionCall, Record
from ..errors import CaptureError
from ..heads.measures import shares
from ..images import Patches
from ..vision.distance import patch_distances
from .aggregation import mean_over_heads, rollout, with_residual

ENCODER, DECODER = "encoder", "decoder"


@dataclass(frozen=True, eq=False)
class AutoencoderLayer:
    """One layer of the encoder or of the decoder, `number` within it; tokens are the class token, then all patches.

    In the encoder the rows and columns of hidden patches are 0.
    """

    side: str
    number: int
    path: str
    weights: Float[Tensor, "head token token"]


@dataclass(frozen=True, eq=False)
class DecoderAttentionShares:
    """Mean attention from masked patches in one layer of the decoder, for each head.

    `visible`, `hidden`, `own` and `class_token`: the shares of visible patches, other masked ones, the patch itself and
    the class token; they sum to 1. `distance`: the mean distance of attention in patches, without the class token.
    Shares are of a row's own sum; rows without attention are in no mean.
    """

    layer: int
    visible: Float[Tensor, " head"]
    hidden: Float[Tensor, " head"]
    own: Float[Tensor, " head"]
    class_token: Float[Tensor, " head"]
    distance: Float[Tensor, " head"]


def layers_over_all_patches(record: Record, hidden: Bool[Tensor, " patch"]) -> tuple[AutoencoderLayer, ...]:
    """The layers of a run in which these patches were hidden. Raises CaptureError if a layer has another length."""
    visible_length = 1 + int((~hidden).sum())
    full_length, layers, counts = 1 + len(hidden), [], {ENCODER: 0, DECODER: 0}
    for call in record.calls:
        side = call.path.partition(".")[0]
        if side not in counts or call.query_length != (visible_length if side == ENCODER else full_length):
            raise CaptureError(
                f"'{call.path}' is not a layer of a masked autoencoder that {visible_length - 1} patches were shown."
            )
        weights = _all_weights(call)
        if side == ENCODER:
            weights = _to_full_grid(weights, hidden)
        layers.append(AutoencoderLayer(side, counts[side], call.path, weights))
        counts[side] += 1
    return tuple(layers)


def decoder_attention_shares(
    layers: Sequence[AutoencoderLayer], hidden: Bool[Tensor, " patch"]
) -> tuple[DecoderAttentionShares, ...]:
    """The shares of each layer of the decoder; `hidden` is true for masked patches."""
    distances, layer_shares = _patch_distances(hidden)[hidden], []
    for layer in layers:
        if layer.side != DECODER:
            continue
        rows = shares(layer.weights[:, 1:][:, hidden])  # (head, hidden patch, token)
        patches = rows[:, :, 1:]
        own = patches[:, :, hidden].diagonal(dim1=1, dim2=2).nanmean(dim=1)
        others = patches[:, :, hidden].sum(dim=2).nanmean(dim=1) - own
        distance = ((patches * distances).sum(dim=2) / patches.sum(dim=2)).nanmean(dim=1)
        layer_shares.append(
            DecoderAttentionShares(
                layer.number,
                patches[:, :, ~hidden].sum(dim=2).nanmean(dim=1),
                others,
                own,
                rows[:, :, 0].nanmean(dim=1),
                distance,
            )
        )
    return tuple(layer_shares)


def encoder_attention_distance(
    layers: Sequence[AutoencoderLayer], hidden: Bool[Tensor, " patch"]
) -> tuple[Float[Tensor, " head"], ...]:
    """The mean attention distance of visible patches in each encoder layer, in patches, without the class token."""
    visible = ~hidden
    distances = _patch_distances(hidden)[visible][:, visible]
    rows = (layer.weights[:, 1:, 1:][:, visible][:, :, visible] for layer in layers if layer.side == ENCODER)
    return tuple((shares(patches) * distances).sum(dim=2).nanmean(dim=1) for patches in rows)


def rollout_through_layers(layers: Sequence[AutoencoderLayer], side: str | None = None) -> Float[Tensor, "token token"]:
    """Attention rollout (Abnar and Zuidema 2020) through all layers, or those of one side: heads averaged, half kept.

    A hidden patch has no vector before the decoder: what rolls back to it comes from the mask token, not from a pixel.
    """
    chosen = [layer.weights for layer in layers if side in (None, layer.side)]
    return rollout(torch.stack([with_residual(mean_over_heads(weights)) for weights in chosen]))[-1]


def _patch_distances(hidden: Bool[Tensor, " patch"]) -> Float[Tensor, "query key"]:
    """The distances between the centres of all patches of a square grid, in patches."""
    side = round(len(hidden) ** 0.5)
    return patch_distances(Patches(side, side), (1, 1))


def _to_full_grid(
    weights: Float[Tensor, "head _ _"], hidden: Bool[Tensor, " patch"]
) -> Float[Tensor, "head token token"]:
    """The weights of the encoder at the positions of its tokens in the full sequence; 0 elsewhere."""
    positions = torch.cat([torch.zeros(1, dtype=torch.long), 1 + (~hidden).nonzero()[:, 0]])
    full = weights.new_zeros(len(weights), 1 + len(hidden), 1 + len(hidden))
    full[:, positions[:, None], positions] = weights
    return full


def _all_weights(call: AttentionCall) -> Float[Tensor, "head query key"]:
    return torch.stack([call.weights(head) for head in range(call.heads)])
