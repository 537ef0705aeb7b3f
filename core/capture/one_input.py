"""One input of a batch, without the rows and columns of its padding."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from ..errors import CaptureError
from .call import AttentionCall
from .product import allowed

NOTHING = 1e-6  # a written weight that is smaller is none


def read_mask(mask: Any) -> Bool[Tensor, "batch token"]:
    """Which tokens are no padding, from the `attention_mask` that a tokenizer gives; CaptureError for another thing."""
    read = torch.as_tensor(mask).bool()
    if read.ndim != 2:
        raise CaptureError(f"An attention_mask is (batch, token), and this one has the shape {tuple(read.shape)}.")
    return read


def one_input(
    calls: Sequence[AttentionCall], item: int, present: Bool[Tensor, "batch token"] | None
) -> list[AttentionCall]:
    """The calls with one input, as it would be alone: each row sums to what it did, as nothing of it was padding.

    `present` says which tokens of the sequence that was padded are tokens: the queries and keys of self-attention of
    that length (keys from a cache too), the keys of cross attention. Other sequences are whole.

    Raises CaptureError if the padding was looked at, so that no map without it is the model's own, or if it cannot be
    told which of two sequences of the same length it belongs to.
    """
    if present is not None:
        _check(calls, present)
    return [_cut(call, item, present) for call in calls]


def _check(calls: Sequence[AttentionCall], present: Bool[Tensor, "batch token"]) -> None:
    items, length = present.shape
    if not any(length == call.key_length for call in calls):
        lengths = ", ".join(sorted({f"{call.key_length:,}" for call in calls}))
        raise CaptureError(f"The attention_mask has {length:,} tokens, and what was recorded looks at {lengths} keys.")
    if wrong := [call for call in calls if call.batch_size != items]:
        raise CaptureError(f"The attention_mask has {items} inputs, and '{wrong[0].path}' {wrong[0].batch_size}.")
    crossed = any(call.kind == "cross" and call.key_length == length for call in calls)
    if crossed and any(call.causal and call.key_length == length for call in calls):
        raise CaptureError(
            f"Both sequences have {length:,} tokens, and the attention_mask does not say whose padding it is: give the "
            "two different lengths."
        )


def _cut(call: AttentionCall, item: int, present: Bool[Tensor, "batch token"] | None) -> AttentionCall:
    call.weights(0, item, queries=[], keys=[])  # CaptureError where there is no such input
    rows, columns = torch.arange(call.query_length), torch.arange(call.key_length)
    if present is not None and call.key_length == present.shape[1] and call.over == "token":
        if call.kind == "unknown":
            raise CaptureError(
                f"It is not known whether the {call.key_length} keys of '{call.path}' are the padded tokens or another "
                "sequence: look at its call.weights() with the padding, or record the input alone."
            )
        columns = present[item].nonzero().flatten()
        if call.kind == "self" and call.rows is None:  # with a cache the queries are the last tokens
            before = call.key_length - call.query_length
            rows = columns[columns >= before] - before
        _check_unseen(call, item, rows, (~present[item]).nonzero().flatten())
    return _part(call, item, rows, columns)


def _check_unseen(call: AttentionCall, item: int, rows: Int[Tensor, " query"], padding: Int[Tensor, " key"]) -> None:
    """Raise CaptureError if one of the rows looks at padding."""
    if not len(padding) or not len(rows):
        return
    if call.product is None or call.written is not None:
        largest = max(
            float(call.weights(head, item, rows.tolist(), padding.tolist()).nan_to_num().abs().max())
            for head in range(call.heads)
        )
        looked_at = largest > NOTHING
    else:
        bias = call.product.biases(slice(item, item + 1), queries=rows)
        looked_at = bias is None or bool(allowed(bias)[..., padding].any())
    if looked_at:
        raise CaptureError(
            f"'{call.path}' looks at the padding of input {item}: the model was not told of it. Give it the "
            "attention_mask too."
        )


def _part(call: AttentionCall, item: int, rows: Int[Tensor, " query"], columns: Int[Tensor, " key"]) -> AttentionCall:
    """A call with one input, some of its queries and some of its keys."""

    def of(tensor: Tensor | None, *axes: Tensor | None) -> Any:
        """The part of a tensor; an axis of 1 stands for all."""
        if tensor is None:
            return None
        part = tensor[item : item + 1] if len(tensor) > 1 else tensor
        for axis, chosen in enumerate(axes, start=2):
            if chosen is not None and part.shape[axis] > 1:
                part = part.index_select(axis, chosen.to(part.device))
        return part

    product, written = call.product, call.written
    if product is not None:
        mask = product.mask
        if product.is_causal and not rows.equal(
            columns
        ):  # by their places, rows and columns no longer tell who is later
            mask = product.biases(slice(item, item + 1))
        product = replace(
            product,
            query=of(product.query, rows),
            key=of(product.key, columns),
            value=of(product.value, columns),
            mask=of(mask, rows, columns),
            is_causal=product.is_causal and mask is product.mask,
        )
    if written is not None:
        written = replace(written, weights=of(written.weights, rows, columns), blind=of(written.blind, rows))
    return replace(
        call,
        product=product,
        written=written,
        seen_value=of(call.seen_value, columns),
        sink=of(call.sink, rows),
        rows=of(call.rows, rows),
        _normalisers={},
    )
