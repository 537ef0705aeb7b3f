"""The attention mask of a recorded call, wherever it was made."""

from typing import Literal

import torch
from jaxtyping import Bool, Int
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
