"""The attention masks of recorded calls, wherever they were made, and the mean attention that they leave."""

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..capture import AttentionCall
from ..capture.product import allowed

MaskKind = Literal["none", "causal", "padding", "causal and padding", "window"]


def mask_of(
    call: AttentionCall, head: int = 0, item: int = 0, queries: Int[Tensor, " query"] | None = None
) -> Bool[Tensor, "query key"]:
    """True where the query may attend to the key; `queries` chooses rows.

    Of a call of which only the softmax was recorded: True where the weight is not 0.
    """
    rows = torch.arange(call.query_length) if queries is None else queries
    if call.product is None:
        return call.weights(head, item, rows.tolist()) > 0
    bias = call.product.biases(slice(item, item + 1), [head], rows)
    everything = torch.ones(len(rows), call.key_length, dtype=torch.bool)
    return everything if bias is None else allowed(bias)[0, 0].expand_as(everything)


def open_links(calls: Sequence[AttentionCall]) -> Bool[Tensor, "query key"]:
    """True where the mask of any head of these calls lets the query attend to the key; all have the same sizes."""
    masks = [mask_of(call, head) for call in calls for head in range(call.heads)]
    return torch.stack(masks).any(dim=0)


def mean_attention(calls: Sequence[AttentionCall]) -> Float[Tensor, "query key"]:
    """The mean weight of each link over all heads of these calls; NaN where every mask is closed."""
    weights = torch.cat([torch.cat(list(call.weights_by_heads())) for call in calls])
    return weights.mean(dim=0).masked_fill(~open_links(calls), torch.nan)


def kind_of_mask(mask: Bool[Tensor, "query key"]) -> MaskKind:
    """The kind of a mask, read off its pattern."""
    queries, keys = mask.shape
    if mask.all():
        return "none"
    visible = mask.any(dim=0)  # a key that no query may attend to is padding
    causal = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if torch.equal(mask, visible.expand_as(mask)):
        return "padding"
    if torch.equal(mask, causal):
        return "causal"
    if torch.equal(mask, causal & visible):
        return "causal and padding"
    return "window"
