"""Which axes of a softmax or of a query are heads, queries and keys, and whether a product sums it over its keys."""

from collections.abc import Callable

import torch
from torch import Tensor

from .call import Over
from .paths import Caller, sequence_in


def four_axes(weights: Tensor, heads: int) -> Tensor:
    """Weights as (batch, head, query, key); three axes hold one head, or `heads` heads folded into the batch."""
    if weights.ndim > 3:
        return weights.flatten(0, -4)
    return weights.unflatten(0, (-1, heads)) if heads else weights.unsqueeze(1)


def folded_heads(calling: list[Caller], weights: Tensor, selected_rows: Tensor | None = None) -> int:
    """The number of heads folded into the batch of three axes, by the sequence that the module reads; 0 for none.

    `selected_rows`: the positions of the rows, where the map has some of them only.
    """
    caller_and_sequence = sequence_in(calling[:1]) if weights.ndim == 3 else None
    if caller_and_sequence is None:
        return 0
    lead, rows = weights.shape[0], weights.shape[1 if selected_rows is None else 2]
    batches = [caller_and_sequence[1].shape[axis] for axis in (0, 1) if caller_and_sequence[1].shape[1 - axis] == rows]
    folded = [lead // batch for batch in batches if lead > batch and lead % batch == 0]
    return folded[0] if folded else 0


def packed_groups(calling: list[Caller], query: Tensor) -> int:
    """The number of query heads in the query axis: transformers packs a group there when there is one query token."""
    module = calling[0].module if calling else None
    groups = getattr(module, "num_key_value_groups", 1)
    if not (groups > 1 and query.ndim == 4 and query.shape[2] == groups):
        return 1
    config = getattr(module, "config", None)
    layers = getattr(config, "per_layer_config", None)  # where layers differ, the model's config has no number of heads
    layer_config = layers[module.layer_idx] if module and layers else config
    return groups if query.shape[1] * groups == getattr(layer_config, "num_attention_heads", None) else 1


def chosen_rows(func: Callable, args: tuple) -> Tensor | None:
    """The row numbers that an indexing of (..., row, channel) selects for each head; None for other operations."""
    if func is Tensor.__getitem__:
        row, index = args[0].ndim - 2, args[1]
        if not isinstance(index, tuple) or not 1 <= row < len(index):
            return None
        if all(isinstance(part, Tensor) and part.dtype == torch.long for part in index[: row + 1]):
            return torch.broadcast_tensors(*index[: row + 1])[row]
    elif func in (torch.gather, Tensor.gather) and len(args) > 2 and args[1] in (-2, args[0].ndim - 2):
        return args[2][..., 0] if args[0].ndim > 2 else None
    return None


def sums_over_keys(func: Callable, args: tuple, factor: int, factors: int) -> bool:
    """Whether a product sums the weights over their keys, as with values, and not over heads or queries."""
    if func is not torch.einsum:
        return factor + 1 < factors  # the last axis of the former factor is summed over
    if not isinstance(args[0], str) or "->" not in args[0]:
        return factors == 2
    inputs, output = args[0].replace(" ", "").split("->")
    key = inputs.split(",")[factor][-1]
    return factors == 2 and key not in output and inputs.count(key) == 2


def drops_last_key(weights: Tensor, part: Tensor) -> bool:
    """Whether an indexing selects all but the last column: that of an attention sink, which has no value."""
    if not isinstance(part, Tensor) or part.shape != (*weights.shape[:-1], weights.shape[-1] - 1):
        return False
    return bool(part.stride() == weights.stride() and part.storage_offset() == weights.storage_offset())


def axis_of_rows(calling: list[Caller], shape: tuple[int, int, int, int], value: Tensor | None) -> Over:
    """Whether the rows and columns of a square map are tokens or channels (XCiT).

    Where there are as many tokens as channels, the strides of the values tell: neighbours in memory are the channels
    of a token.
    """
    caller_and_sequence = sequence_in(calling[:1])
    if caller_and_sequence is None or value is None:
        return "token"
    _, tokens, width = caller_and_sequence[1].shape
    _, heads, queries, keys = shape
    if queries != keys or heads * queries != width or value.shape[-1] != tokens:
        return "token"
    row_stride, column_stride = value.stride()[-2:]
    return "channel" if queries != tokens or (row_stride == 1 and column_stride > 1) else "token"
