"""A map too large to hold, seen whole: exact means or maxima over blocks of its weights."""

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
    """How many tokens share a cell, so that at most `size` cells cover them all."""
    return math.ceil(length / size)


def pool_map(
    chunks: Iterable[Float[Tensor, "_ _"]], queries: int, keys: int, size: int, reduce: Reduce
) -> Float[Tensor, "query key"]:
    """At most size x size cells from consecutive rows; columns that a chunk leaves out at its end are zero."""
    if reduce not in ("mean", "max"):
        raise CaptureError(f"An overview shows the 'mean' or the 'max' of each block, not '{reduce}'.")
    by_key = torch.cat([pool_columns(chunk, block_width(keys, size), keys, reduce) for chunk in chunks])
    return pool_columns(by_key.mT, block_width(queries, size), queries, reduce).mT


def pool_columns(weights: Float[Tensor, "_ _"], block: int, length: int, reduce: Reduce) -> Float[Tensor, "_ _"]:
    """The last block may be smaller than the others; missing whole blocks are zero."""
    if missing := -weights.shape[1] % block:
        weights = F.pad(weights, (0, missing), value=0.0 if reduce == "mean" else -math.inf)
    filled = weights.unflatten(1, (-1, block))
    blocks = math.ceil(length / block)
    if reduce == "max":
        pooled = filled.amax(-1)
    else:
        members = torch.full((filled.shape[1],), block, device=weights.device)
        if len(members) == blocks:
            members[-1] = length - block * (blocks - 1)
        pooled = filled.sum(-1) / members
    return F.pad(pooled, (0, blocks - pooled.shape[1]))
