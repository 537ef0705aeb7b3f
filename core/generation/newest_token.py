"""The attention of the newest token of a text, in every head."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..capture import AttentionCall
from ..heads.measures import shares


@dataclass(frozen=True)
class FarthestHead:
    """The head with the largest mean attention distance of the newest token, in tokens.

    `key` is the token, after the first, with the largest weight, and `weight` that weight as a share of the row's sum.
    """

    layer: int
    head: int
    distance: float
    key: int
    weight: float


def last_token_weights(call: AttentionCall) -> Float[Tensor, "head key"]:
    """The attention weights of the last token, in every head of a layer."""
    last = call.query_length - 1
    return torch.cat([weights[:, 0] for weights in call.weights_by_heads(queries=slice(last, last + 1))])


def find_farthest_head(calls: Mapping[int, AttentionCall]) -> FarthestHead | None:
    """The head, of layers by their numbers, with the largest attention distance of the newest token; None without keys.

    Attention to the first token counts as 0, because it is a sink of many heads.
    """
    best = None
    for layer, call in calls.items():
        rows = shares(last_token_weights(call))
        rows[:, 0] = 0
        steps_back = torch.arange(rows.shape[1] - 1, -1, -1, dtype=rows.dtype)
        distances = rows @ steps_back
        head = int(distances.nan_to_num().argmax())
        if float(distances[head]) > (best.distance if best else 0):
            key = int(rows[head].argmax())
            best = FarthestHead(layer, head, float(distances[head]), key, float(rows[head, key]))
    return best
