"""What the axes of a softmax stand for, and whether a product sums it over its keys, as values are."""

from collections.abc import Callable

import torch
from torch import Tensor

from .call import Over
from .paths import Caller, sequence_in


def four_axes(weights: Tensor, heads: int) -> Tensor:
    """(batch, head, query, key); with three axes there is one head, or `heads` are laid along the batch."""
    if weights.ndim > 3:
        return weights.flatten(0, -4)
    return weights.unflatten(0, (-1, heads)) if heads else weights.unsqueeze(1)


def folded_heads(calling: list[Caller], weights: Tensor, chosen: Tensor | None = None) -> int:
    """How many heads are laid along the batch of three axes, by the sequence that the module reads; 0 for none.

    `chosen`: the numbers of the rows, where the map has some of them only.
    """
    found = sequence_in(calling[:1]) if weights.ndim == 3 else None
    if found is None:
        return 0
    lead, rows = weights.shape[0], weights.shape[1 if chosen is None else 2]
    batches = [found[1].shape[axis] for axis in (0, 1) if found[1].shape[1 - axis] == rows]
    folded = [lead // batch for batch in batches if lead > batch and lead % batch == 0]
    return folded[0] if folded else 0


def chosen_rows(func: Callable, args: tuple) -> Tensor | None:
    """The numbers of the rows that an indexing of (..., row, channel) took, another choice for each head; else None."""
    if func is Tensor.__getitem__:
        row, index = args[0].ndim - 2, args[1]
        if not isinstance(index, tuple) or not 1 <= row < len(index):
            return None
        if all(isinstance(part, Tensor) and part.dtype == torch.long for part in index[: row + 1]):
            return torch.broadcast_tensors(*index[: row + 1])[row]
    elif func in (torch.gather, Tensor.gather) and len(args) > 2 and args[1] in (-2, args[0].ndim - 2):
        return args[2][..., 0] if args[0].ndim > 2 else None
    return None


def mixes_values(func: Callable, args: tuple, place: int, factors: int) -> bool:
    """Whether a product sums the weights over their keys, as with values; over heads or queries is something else."""
    if func is not torch.einsum:
        return place + 1 < factors  # the last axis of the former factor is summed over
    if not isinstance(args[0], str) or "->" not in args[0]:
        return factors == 2
    inputs, output = args[0].replace(" ", "").split("->")
    key = inputs.split(",")[place][-1]
    return factors == 2 and key not in output and inputs.count(key) == 2


def leaves_out_the_last_key(weights: Tensor, part: Tensor) -> bool:
    """Whether an indexing took all but the last column: that of an attention sink, which has no value."""
    if not isinstance(part, Tensor) or part.shape != (*weights.shape[:-1], weights.shape[-1] - 1):
        return False
    return bool(part.stride() == weights.stride() and part.storage_offset() == weights.storage_offset())


def looks_over(calling: list[Caller], shape: tuple[int, int, int, int], value: Tensor | None) -> Over:
    """What the rows and columns of a square map stand for: channels, where each has a number for every token.

    Where there are as many tokens as channels, the memory of the values tells: what lies side by side in it are the
    channels of a token.
    """
    found = sequence_in(calling[:1])
    if found is None or value is None:
        return "token"
    _, tokens, width = found[1].shape
    _, heads, queries, keys = shape
    if queries != keys or heads * queries != width or value.shape[-1] != tokens:
        return "token"
    across, along = value.stride()[-2:]
    return "channel" if queries != tokens or (across == 1 and along > 1) else "token"
