"""Where a masked autoencoder's masked patches come from: its attention, laid over the whole grid of patches.

layers = whole_layers(record, hidden)                    # encoder, then decoder: (head, query, key) over all places
shares = decoder_attention_shares(layers, hidden)         # for each layer of the decoder, where masked patches attend
through = through_all(layers)                            # one map: from every place after the last layer to the input
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
from ..vision.distance import pixel_gaps
from .aggregation import mean_over_heads, rollout, with_residual

ENCODER, DECODER = "encoder", "decoder"


@dataclass(frozen=True, eq=False)
class GapLayer:
    """One layer of the encoder or of the decoder, `number` within it; tokens are the class token, then all patches.

    Of the encoder, hidden patches neither look nor are looked at: their rows and columns are 0.
    """

    side: str
    number: int
    path: str
    weights: Float[Tensor, "head token token"]


@dataclass(frozen=True, eq=False)
class DecoderAttentionShares:
    """Mean attention from masked patches in one layer of the decoder, for each head.

    `visible`, `hidden`, `own` and `whole`: the shares of visible patches, other masked ones, the patch itself and the
    class token; they sum to 1. `far`: the mean distance of attention in patches, without the class token. Shares are of
    a row's own sum; rows without attention are in no mean.
    """

    layer: int
    visible: Float[Tensor, " head"]
    hidden: Float[Tensor, " head"]
    own: Float[Tensor, " head"]
    whole: Float[Tensor, " head"]
    far: Float[Tensor, " head"]


def whole_layers(record: Record, hidden: Bool[Tensor, " patch"]) -> tuple[GapLayer, ...]:
    """Every layer of a run in which these patches were hidden; CaptureError if a layer is of another length."""
    seen = 1 + int((~hidden).sum())
    every, layers, counts = 1 + len(hidden), [], {ENCODER: 0, DECODER: 0}
    for call in record.calls:
        side = call.path.partition(".")[0]
        if side not in counts or call.query_length != (seen if side == ENCODER else every):
            raise CaptureError(
                f"'{call.path}' is not a layer of a masked autoencoder that {seen - 1} patches were shown."
            )
        weights = _heads(call)
        if side == ENCODER:
            weights = _spread(weights, hidden)
        layers.append(GapLayer(side, counts[side], call.path, weights))
        counts[side] += 1
    return tuple(layers)


def decoder_attention_shares(
    layers: Sequence[GapLayer], hidden: Bool[Tensor, " patch"]
) -> tuple[DecoderAttentionShares, ...]:
    """The shares of each layer of the decoder; `hidden` is true for masked patches."""
    gaps, found = _gaps(hidden)[hidden], []
    for layer in layers:
        if layer.side != DECODER:
            continue
        rows = shares(layer.weights[:, 1:][:, hidden])  # (head, hidden patch, token)
        patches = rows[:, :, 1:]
        own = patches[:, :, hidden].diagonal(dim1=1, dim2=2).nanmean(dim=1)
        others = patches[:, :, hidden].sum(dim=2).nanmean(dim=1) - own
        far = ((patches * gaps).sum(dim=2) / patches.sum(dim=2)).nanmean(dim=1)
        found.append(
            DecoderAttentionShares(
                layer.number,
                patches[:, :, ~hidden].sum(dim=2).nanmean(dim=1),
                others,
                own,
                rows[:, :, 0].nanmean(dim=1),
                far,
            )
        )
    return tuple(found)


def reach_of_encoder(layers: Sequence[GapLayer], hidden: Bool[Tensor, " patch"]) -> tuple[Float[Tensor, " head"], ...]:
    """For each layer of the encoder how many patches away visible patches look on average, the class token left out."""
    seen = ~hidden
    gaps = _gaps(hidden)[seen][:, seen]
    rows = (layer.weights[:, 1:, 1:][:, seen][:, :, seen] for layer in layers if layer.side == ENCODER)
    return tuple((shares(patches) * gaps).sum(dim=2).nanmean(dim=1) for patches in rows)


def through_all(layers: Sequence[GapLayer], side: str | None = None) -> Float[Tensor, "token token"]:
    """Attention rollout (Abnar and Zuidema 2020) through all layers, or those of one side: heads averaged, half kept.

    A hidden patch has no vector before the decoder: what arrives at its place there stays, and comes of no pixel.
    """
    chosen = [layer.weights for layer in layers if side in (None, layer.side)]
    return rollout(torch.stack([with_residual(mean_over_heads(weights)) for weights in chosen]))[-1]


def _gaps(hidden: Bool[Tensor, " patch"]) -> Float[Tensor, "query key"]:
    """How many patches apart the middles of all patches of a square grid are."""
    side = round(len(hidden) ** 0.5)
    return pixel_gaps(Patches(side, side), (1, 1))


def _spread(weights: Float[Tensor, "head _ _"], hidden: Bool[Tensor, " patch"]) -> Float[Tensor, "head token token"]:
    """Weights between the tokens that the encoder has, at the places where they lie; 0 elsewhere."""
    there = torch.cat([torch.zeros(1, dtype=torch.long), 1 + (~hidden).nonzero()[:, 0]])
    whole = weights.new_zeros(len(weights), 1 + len(hidden), 1 + len(hidden))
    whole[:, there[:, None], there] = weights
    return whole


def _heads(call: AttentionCall) -> Float[Tensor, "head query key"]:
    return torch.stack([call.weights(head) for head in range(call.heads)])
