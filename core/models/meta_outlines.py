"""The outline of a network: its modules and shapes on the meta device, without weights."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from ..errors import ModelError

MOST_STEPS = 300_000  # calls of torch while a network is built; the largest that fit into memory take a tenth of it
# Functions that initialise a tensor: slow, and without effect on the meta device.
FILLING = {"normal_", "uniform_", "trunc_normal_", "constant_", "kaiming_uniform_", "xavier_uniform_", "fill_", "zero_"}


@dataclass(frozen=True)
class NetworkSize:
    """The size of a network: `parameters`, the number of its weights; `tables`, bytes of its buffers."""

    parameters: int
    tables: int


def size_of(network: nn.Module) -> NetworkSize:
    """The size of an outline; shared weights count once."""
    return NetworkSize(
        sum(weight.numel() for weight in network.parameters()),
        sum(table.numel() * table.element_size() for table in network.buffers()),
    )


@contextmanager
def outlining() -> Iterator[None]:
    """A context in which networks are built without weights; ModelError after MOST_STEPS calls of torch."""
    with torch.device("meta"), _Counting():
        yield


class _Counting(TorchFunctionMode):
    """Counts the calls of torch in this thread, so that a config with a million layers raises ModelError early."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def __torch_function__(
        self, function: Callable, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise ModelError(f"Its network has more parts than can be made here (after {MOST_STEPS:,} steps).")
        if getattr(function, "__name__", "") in FILLING:
            return args[0] if args else (kwargs or {})["tensor"]
        return function(*args, **(kwargs or {}))
