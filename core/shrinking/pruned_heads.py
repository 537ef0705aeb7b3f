"""Attention heads pruned from a network: smaller matrices, the same outputs as with the heads silenced.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 2.3: a head is a block of rows of W_Q, W_K and
W_V and of columns of W_O.
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
    """An attention module without heads: its output is the bias of W_O, for every query."""

    def __init__(self, output_projection: nn.Linear):
        super().__init__()
        self.width = output_projection.out_features
        self.bias = None if output_projection.bias is None else nn.Parameter(output_projection.bias.detach().clone())

    def forward(self, x: Float[Tensor, "*leading width"], *_: Any, **__: Any) -> Float[Tensor, "*leading width_out"]:
        """`x`: the queries; keys, values and masks are ignored."""
        shape = (*x.shape[:-1], self.width)
        return x.new_zeros(shape) if self.bias is None else self.bias.expand(shape)


def prune_heads(network: nn.Module, heads: Mapping[int, Collection[int]]) -> nn.Module:
    """A copy of a network without some heads: numbers of heads by the number of their module in `headed_modules`.

    Its output equals that of the network with these heads silenced. ModelError for a head that does not exist.
    """
    smaller = deepcopy(network)
    modules = headed_modules(smaller)
    for number, pruned in heads.items():
        if not 0 <= number < len(modules) or not set(pruned) <= set(range(modules[number].heads)):
            raise ModelError(
                f"There are no heads {sorted(pruned)} in attention module {number}: this network has {len(modules)} "
                "modules, counted from 0."
            )
        _take_out(smaller, modules[number], set(pruned))
    return smaller


def _take_out(network: nn.Module, headed: HeadedModule, pruned: set[int]) -> None:
    if not pruned:
        return
    remaining = [head for head in range(headed.heads) if head not in pruned]
    module = headed.module
    if not remaining and type(module).__module__.startswith("transformers."):
        # What is around it expects more than one output: a head stays that nobody hears.
        remaining = [0]
        headed.output_projection.weight = nn.Parameter(
            torch.zeros_like(headed.output_projection.weight), requires_grad=False
        )
    if not remaining:
        put(network, headed.path, OnlyBias(headed.output_projection))
        return
    channels = torch.cat([torch.arange(head * headed.head_dim, (head + 1) * headed.head_dim) for head in remaining])
    inner = headed.heads * headed.head_dim
    packed = 3 // len(headed.parts)
    rows = torch.cat([channels + part * inner for part in range(packed)])
    for name in headed.parts:
        put(module, name, some_rows(module.get_submodule(name), rows))
    put(module, headed.output_path, some_columns(headed.output_projection, channels))
    for holder in (module, getattr(module, "self", None)):
        for names, value in ((COUNTS, len(remaining)), (WIDTHS, len(channels))):
            for name in names:
                if isinstance(getattr(holder, name, None), int):
                    setattr(holder, name, value)
