"""Where the newest token of a text looks, in every head."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ..capture import AttentionCall
from ..heads.measures import shares


@dataclass(frozen=True)
class FarLook:
    """The head whose newest token looks farthest back: its shares times their distances, added up, in tokens.

    `key` is the token, after the first, to which it gives most, and `weight` how much that is, as a part of what the
    row sums to.
    """

    layer: int
    head: int
    distance: float
    key: int
    weight: float


def newest_rows(call: AttentionCall) -> Float[Tensor, "head key"]:
    """How much the last token gives to each, in every head of a layer."""
    last = call.query_length - 1
    return torch.cat([weights[:, 0] for weights in call.weights_by_heads(queries=slice(last, last + 1))])


def farthest(calls: Mapping[int, AttentionCall]) -> FarLook | None:
    """The head, of layers by their numbers, whose newest token looks farthest; None if it can look at nothing.

    What goes to the first token counts as nothing: many heads rest there when they have nothing to look for.
    """
    found = None
    for layer, call in calls.items():
        rows = shares(newest_rows(call))
        rows[:, 0] = 0
        back = torch.arange(rows.shape[1] - 1, -1, -1, dtype=rows.dtype)
        distances = rows @ back
        head = int(distances.nan_to_num().argmax())
        if float(distances[head]) > (found.distance if found else 0):
            key = int(rows[head].argmax())
            found = FarLook(layer, head, float(distances[head]), key, float(rows[head, key]))
    return found
