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

NO_WEIGHT = 1e-6  # a written weight that is smaller counts as zero


def read_mask(mask: Any) -> Bool[Tensor, "batch token"]:
    """Which tokens are no padding, from a tokenizer's `attention_mask`; CaptureError where it has not two axes."""
    present = torch.as_tensor(mask).bool()
    if present.ndim != 2:
        raise CaptureError(f"An attention_mask is (batch, token), and this one has the shape {tuple(present.shape)}.")
    return present


def one_input(
    calls: Sequence[AttentionCall], item: int, present: Bool[Tensor, "batch token"] | None
) -> list[AttentionCall]:
    """The calls with one input of the batch, without the rows and columns of its padding; row sums do not change.

    `present` says which tokens of the padded sequence are no padding: the queries and keys of self-attention of that
    length (keys from a cache too), the keys of cross attention. Other sequences are not padded.

    Raises CaptureError if a query attends to padding, so that a map without it would not be the model's own, or if it
    is ambiguous which of two sequences of the same length is padded.
    """
    if present is not None:
        _check(calls, present)
    return [_without_padding(call, item, present) for call in calls]


def _check(calls: Sequence[AttentionCall], present: Bool[Tensor, "batch token"]) -> None:
    items, length = present.shape
    if not any(length == call.key_length for call in calls):
        lengths = ", ".join(sorted({f"{call.key_length:,}" for call in calls}))
        raise CaptureError(f"The attention_mask has {length:,} tokens, and what was recorded looks at {lengths} keys.")
    if invalid := [call for call in calls if call.batch_size != items]:
        raise CaptureError(f"The attention_mask has {items} inputs, and '{invalid[0].path}' {invalid[0].batch_size}.")
    has_cross = any(call.kind == "cross" and call.key_length == length for call in calls)
    if has_cross and any(call.causal and call.key_length == length for call in calls):
        raise CaptureError(
            f"Both sequences have {length:,} tokens, and the attention_mask does not say whose padding it is: give the "
            "two different lengths."
        )


def _without_padding(call: AttentionCall, item: int, present: Bool[Tensor, "batch token"] | None) -> AttentionCall:
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
        _check_padding_masked(call, item, rows, (~present[item]).nonzero().flatten())
    return _select(call, item, rows, columns)


def _check_padding_masked(
    call: AttentionCall, item: int, rows: Int[Tensor, " query"], padding: Int[Tensor, " key"]
) -> None:
    """Raise CaptureError if one of the rows attends to padding."""
    if not len(padding) or not len(rows):
        return
    if call.product is None or call.written is not None:
        largest = max(
            float(call.weights(head, item, rows.tolist(), padding.tolist()).nan_to_num().abs().max())
            for head in range(call.heads)
        )
        attends_to_padding = largest > NO_WEIGHT
    else:
        bias = call.product.biases(slice(item, item + 1), queries=rows)
        attends_to_padding = bias is None or bool(allowed(bias)[..., padding].any())
    if attends_to_padding:
        raise CaptureError(
            f"'{call.path}' looks at the padding of input {item}: the model was not told of it. Give it the "
            "attention_mask too."
        )


def _select(call: AttentionCall, item: int, rows: Int[Tensor, " query"], columns: Int[Tensor, " key"]) -> AttentionCall:
    """A call with one input, some of its queries and some of its keys."""

    def select(tensor: Tensor | None, *axes: Tensor | None) -> Any:
        """The selected part of a tensor; an axis of size 1 is broadcast and stays."""
        if tensor is None:
            return None
        part = tensor[item : item + 1] if len(tensor) > 1 else tensor
        for axis, indices in enumerate(axes, start=2):
            if indices is not None and part.shape[axis] > 1:
                part = part.index_select(axis, indices.to(part.device))
        return part

    product, written = call.product, call.written
    if product is not None:
        mask = product.mask
        if product.is_causal and not rows.equal(columns):  # the order of rows and columns no longer tells what is later
            mask = product.biases(slice(item, item + 1))
        product = replace(
            product,
            query=select(product.query, rows),
            key=select(product.key, columns),
            value=select(product.value, columns),
            mask=select(mask, rows, columns),
            is_causal=product.is_causal and mask is product.mask,
        )
    if written is not None:
        written = replace(written, weights=select(written.weights, rows, columns), blind=select(written.blind, rows))
    return replace(
        call,
        product=product,
        written=written,
        recorded_value=select(call.recorded_value, columns),
        sink=select(call.sink, rows),
        rows=select(call.rows, rows),
    )
