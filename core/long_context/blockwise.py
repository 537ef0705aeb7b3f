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
    key: Float[Tensor, "batch head key head_dim"],
    value: Float[Tensor, "batch head key head_dim"],
    *,
    causal: bool,
    progress: Callable[[int], None] = lambda _rows: None,
    in_place: bool = False,
) -> Part:
    """softmax(query keyᵀ / √head_dim) value for all rows, and logsumexp of the scores of each row, in float32.

    `in_place`: the output takes the place of the queries, which are not needed once their rows are done.
    `progress` is called with the number of rows that are done; an exception that it raises stops the work.
    CaptureError on another device than the processor, or where values have another width than keys.
    """
    if query.device.type != "cpu" or value.shape[-1] != query.shape[-1]:
        raise CaptureError(
            f"A long text is read on the processor, with values as wide as keys; here they lie on '{query.device}', "
            f"and the widths are {value.shape[-1]} and {key.shape[-1]}."
        )
    heads = query.shape[1]
    shares = [
        slice(heads * part // count, heads * (part + 1) // count)
        for count in [min(heads, processors())]
        for part in range(count)
    ]
    output, normaliser = query if in_place else torch.empty_like(query), torch.empty(query.shape[:3])
    for start in range(0, query.shape[2], QUERIES):
        parts = side_by_side(lambda some: _rows(query[:, some], key[:, some], value[:, some], start, causal), shares)  # noqa: B023
        rows = slice(start, start + QUERIES)
        for some, (output_of_part, normaliser_of_part) in zip(shares, parts, strict=True):
            output[:, some, rows], normaliser[:, some, rows] = output_of_part, normaliser_of_part
        progress(min(start + QUERIES, query.shape[2]))
    return output, normaliser


def _rows(query: Tensor, key: Tensor, value: Tensor, start: int, causal: bool) -> Part:
    """The rows of a block from `start` on."""
    block = slice(start, start + QUERIES)
    if not causal:
        return _fused(query[:, :, block], key, value)
    parts = [_fused(query[:, :, block], key[:, :, block], value[:, :, block], causal=True)]
    if start:
        parts.append(_fused(query[:, :, block], key[:, :, :start], value[:, :, :start]))
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
