"""Attention heads really taken out of a network: smaller matrices, the same outputs as with the heads silenced.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 2.3: a head is a block of rows of W_Q, W_K and
W_V and of columns of W_O; without them nothing is left of it.
"""

from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..errors import ModelError
from ..former_names import former_names
from .layouts import COUNTS, WIDTHS, HeadedModule, headed_modules, put, some_columns, some_rows

__getattr__ = former_names(__name__, {"without_heads": "prune_heads"})


class OnlyBias(nn.Module):
    """What is left of an attention module without heads: the bias of W_O, for every query."""

    def __init__(self, joining: nn.Linear):
        super().__init__()
        self.width = joining.out_features
        self.bias = None if joining.bias is None else nn.Parameter(joining.bias.detach().clone())

    def forward(self, x: Float[Tensor, "*leading width"], *_: Any, **__: Any) -> Float[Tensor, "*leading width_out"]:
        """`x`: the queries; what they could have looked at does not matter any more."""
        shape = (*x.shape[:-1], self.width)
        return x.new_zeros(shape) if self.bias is None else self.bias.expand(shape)


def prune_heads(network: nn.Module, heads: Mapping[int, Collection[int]]) -> nn.Module:
    """A copy of a network without some heads: their numbers by the number of the module (`headed_modules`).

    Its output equals that of the network with these heads silenced. ModelError for a head that there is not.
    """
    smaller = deepcopy(network)
    modules = headed_modules(smaller)
    for number, gone in heads.items():
        if not 0 <= number < len(modules) or not set(gone) <= set(range(modules[number].heads)):
            raise ModelError(
                f"There are no heads {sorted(gone)} in attention module {number}: this network has {len(modules)} "
                "modules, counted from 0."
            )
        _take_out(smaller, modules[number], set(gone))
    return smaller


def _take_out(network: nn.Module, headed: HeadedModule, gone: set[int]) -> None:
    if not gone:
        return
    left = [head for head in range(headed.heads) if head not in gone]
    module = headed.module
    if not left and type(module).__module__.startswith("transformers."):
        # What is around it expects more than one output: a head stays that nobody hears.
        left = [0]
        headed.joining.weight = nn.Parameter(torch.zeros_like(headed.joining.weight), requires_grad=False)
    if not left:
        put(network, headed.path, OnlyBias(headed.joining))
        return
    channels = torch.cat([torch.arange(head * headed.each, (head + 1) * headed.each) for head in left])
    inner = headed.heads * headed.each
    packed = 3 // len(headed.parts)
    rows = torch.cat([channels + part * inner for part in range(packed)])
    for name in headed.parts:
        put(module, name, some_rows(module.get_submodule(name), rows))
    put(module, headed.joined_by, some_columns(headed.joining, channels))
    for place in (module, getattr(module, "self", None)):
        for names, value in ((COUNTS, len(left)), (WIDTHS, len(channels))):
            for name in names:
                if isinstance(getattr(place, name, None), int):
                    setattr(place, name, value)
