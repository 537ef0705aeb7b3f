"""The outline of a network: all its modules and shapes, none of its numbers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from ..errors import ModelError

MOST_STEPS = 300_000  # of torch while a network is made; the largest that fit into a computer take a tenth of it
# What fills a tensor that was made: nothing to do for an outline, and slow.
FILLING = {"normal_", "uniform_", "trunc_normal_", "constant_", "kaiming_uniform_", "xavier_uniform_", "fill_", "zero_"}


@dataclass(frozen=True)
class Promise:
    """What a network will take: `parameters` are numbers to be read, `tables` bytes that it computes for itself."""

    parameters: int
    tables: int


def promise_of(network: nn.Module) -> Promise:
    """What the outline of a network promises; weights that are shared count once."""
    return Promise(
        sum(weight.numel() for weight in network.parameters()),
        sum(table.numel() * table.element_size() for table in network.buffers()),
    )


@contextmanager
def outlining() -> Iterator[None]:
    """Networks that are made within have shapes only; ModelError for one that would take for ever to make."""
    with torch.device("meta"), _Counting():
        yield


class _Counting(TorchFunctionMode):
    """Sees every tensor that is made in this thread: whoever asks for a million layers is stopped on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def __torch_function__(
        self, function: Callable, types: Any, given: tuple = (), named: dict[str, Any] | None = None
    ) -> Any:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise ModelError(f"Its network has more parts than can be made here (after {MOST_STEPS:,} steps).")
        if getattr(function, "__name__", "") in FILLING:
            return given[0] if given else (named or {})["tensor"]
        return function(*given, **(named or {}))
