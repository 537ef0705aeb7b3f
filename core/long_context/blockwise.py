"""Attention over a long text by blocks of queries, with the log normaliser of each row.

The fused kernel of the processor returns logsumexp of each row beside its output. A causal block of queries is two
calls: all earlier keys, and the block's own keys under the causal mask; both outputs are merged by their normalisers
(Dao et al. 2022, "FlashAttention", section 3.1; Rabe and Staats 2021, section 3).
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import CaptureError
from .processors import processors, side_by_side

QUERIES = 4096  # rows of a block: after each one the progress is reported, and the reading may be stopped

Part = tuple[Float[Tensor, "batch head query head_dim"], Float[Tensor, "batch head query"]]  # output, log normaliser


def attend(
    query: Float[Tensor, "batch head query head_dim"],
    key: Float[Tensor, "batch _ key head_dim"],
    value: Float[Tensor, "batch head key head_dim"],
    *,
    causal: bool,
    progress: Callable[[int], None] = lambda _rows: None,
) -> Part:
    """softmax(query keyᵀ / √head_dim) value for all rows, and logsumexp of the scores of each row, in float32.

    Queries and keys may be stored in half precision: those at work are converted to the type of the values. Several
    heads may share the keys of one (grouped-query attention). `progress` is called with the number of rows that are
    done, which is that of all heads on average; an exception that it raises stops the work. CaptureError on another
    device than the processor, or where values have another width than keys.
    """
    if query.device.type != "cpu" or value.shape[-1] != query.shape[-1]:
        raise CaptureError(
            f"A long text is read on the processor, with values as wide as keys; here they lie on '{query.device}', "
            f"and the widths are {value.shape[-1]} and {key.shape[-1]}."
        )
    _, heads, rows, _ = query.shape
    group = heads // key.shape[1]
    output, normaliser = torch.empty(query.shape, dtype=value.dtype), torch.empty(query.shape[:3])

    def block_of(task: tuple[slice, Tensor, int]) -> Part:
        head, keys, start = task
        queries = query[:, head, start : start + QUERIES].to(value.dtype)
        return _rows(queries, keys, value[:, head], start, causal)

    for first in range(0, heads, processors()):
        some = [slice(head, head + 1) for head in range(first, min(first + processors(), heads))]
        keys = [key[:, head.start // group, None].to(value.dtype) for head in some]
        for start in range(0, rows, QUERIES):
            block = slice(start, start + QUERIES)
            tasks = [(head, keys_of_head, start) for head, keys_of_head in zip(some, keys, strict=True)]
            for head, part in zip(some, side_by_side(block_of, tasks), strict=True):
                output[:, head, block], normaliser[:, head, block] = part
            progress((first * rows + len(some) * min(block.stop, rows)) // heads)
    return output, normaliser


def _rows(query: Tensor, key: Tensor, value: Tensor, start: int, causal: bool) -> Part:
    """The rows of a block of queries, the first of which is row `start` of all."""
    if not causal:
        return _fused(query, key, value)
    block = slice(start, start + QUERIES)
    parts = [_fused(query, key[:, :, block], value[:, :, block], causal=True)]
    if start:
        parts.append(_fused(query, key[:, :, :start], value[:, :, :start]))
    return _merge(parts)


def _fused(query: Tensor, key: Tensor, value: Tensor, *, causal: bool = False) -> Part:
    output, normaliser = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(query, key, value, 0.0, causal)
    return output, normaliser


def _merge(parts: list[Part]) -> Part:
    """The attention over the keys of all parts together."""
    normaliser = torch.logsumexp(torch.stack([part[1] for part in parts]), dim=0)
    output = sum(output * (own - normaliser).exp()[..., None].to(output.dtype) for output, own in parts)
    assert isinstance(output, Tensor)
    return output, normaliser
