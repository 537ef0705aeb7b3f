"""Reduce a map that is too large for memory to exact means or maxima over blocks of its weights."""

import math
from collections.abc import Iterable
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from ..errors import CaptureError

Reduce = Literal["mean", "max"]


def block_width(length: int, size: int) -> int:
    """The number of tokens in a cell, so that at most `size` cells cover `length` tokens."""
    return math.ceil(length / size)


def pool_map(
    chunks: Iterable[Float[Tensor, "_ _"]], queries: int, keys: int, size: int, reduce: Reduce
) -> Float[Tensor, "query key"]:
    """A map reduced to at most size x size cells, from chunks of consecutive rows; missing last columns are zero."""
    if reduce not in ("mean", "max"):
        raise CaptureError(f"An overview shows the 'mean' or the 'max' of each block, not '{reduce}'.")
    by_key = torch.cat([pool_columns(chunk, block_width(keys, size), keys, reduce) for chunk in chunks])
    return pool_columns(by_key.mT, block_width(queries, size), queries, reduce).mT


def pool_columns(weights: Float[Tensor, "_ _"], block: int, length: int, reduce: Reduce) -> Float[Tensor, "_ _"]:
    """Columns reduced in blocks of `block`; the last one may be smaller; columns missing from `length` are zero."""
    if missing := -weights.shape[1] % block:
        weights = F.pad(weights, (0, missing), value=0.0 if reduce == "mean" else -math.inf)
    blocks_of_keys = weights.unflatten(1, (-1, block))
    blocks = math.ceil(length / block)
    if reduce == "max":
        pooled = blocks_of_keys.amax(-1)
    else:
        counts = torch.full((blocks_of_keys.shape[1],), block, device=weights.device)
        if len(counts) == blocks:
            counts[-1] = length - block * (blocks - 1)
        pooled = blocks_of_keys.sum(-1) / counts
    return F.pad(pooled, (0, blocks - pooled.shape[1]))
