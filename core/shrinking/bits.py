"""Weights in few bits: rounded to the nearest level of an even, symmetric grid, one scale for each part of a matrix."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from .layouts import matrices_of

GROUPINGS: dict[str, int | None] = {
    "per tensor": None,
    "per output channel": 0,
    "groups of 128": 128,
    "groups of 64": 64,
    "groups of 32": 32,
}
BITS = (8, 6, 5, 4, 3, 2)
SCALE_BYTES = 4  # a scale is kept as float32


@dataclass(frozen=True)
class Rounded:
    """A rounded matrix, the step of each of its weights, and the bytes of levels and scales together."""

    values: Float[Tensor, "row column"]
    steps: Float[Tensor, "row column"]
    bytes: int


def round_matrix(matrix: Float[Tensor, "row column"], bits: int, grouping: str) -> Rounded:
    """Round to the nearest of 2^bits - 1 levels that are symmetric around 0; the largest weight of a group is exact.

    `grouping`: one of GROUPINGS. A group is a run of weights in one row; the last one of a row may be shorter.
    ValueError for other bits than 2 to 8.
    """
    if not 2 <= bits <= 8:
        raise ValueError(f"Weights are rounded to 2 to 8 bits, not to {bits}.")
    rows, columns = matrix.shape
    size = GROUPINGS[grouping]
    if size is None:
        parts: Sequence[Tensor] = [matrix]
        largest = [matrix.abs().amax().expand(rows, columns)]
    else:
        parts = matrix.split(size or columns, dim=1)
        largest = [part.abs().amax(dim=1, keepdim=True).expand_as(part) for part in parts]
    steps = torch.cat(list(largest), dim=1) / (2 ** (bits - 1) - 1)
    safe = torch.where(steps > 0, steps, torch.ones_like(steps))  # a part of zeros stays one
    scales = 1 if size is None else rows * len(parts)
    stored = (matrix.numel() * bits + 7) // 8 + scales * SCALE_BYTES
    return Rounded((matrix / safe).round() * steps, steps, stored)


@torch.no_grad()
def round_network(
    network: nn.Module, bits: int, grouping: str, names: Sequence[str] | None = None
) -> tuple[nn.Module, int]:
    """A copy with rounded matrices (`names`, or all), and its bytes; all that is not rounded counts as float32."""
    rounded = copy.deepcopy(network)
    stored: dict[int, int] = {id(weight): weight.numel() * 4 for weight in rounded.parameters()}
    chosen = None if names is None else set(names)
    for name, linear in matrices_of(rounded).items():
        if chosen is None or name in chosen:
            result = round_matrix(linear.weight, bits, grouping)
            linear.weight.copy_(result.values)
            stored[id(linear.weight)] = result.bytes
    return rounded, sum(stored.values())
