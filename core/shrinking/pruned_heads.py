"""Attention heads really taken out of a network: smaller matrices, the same outputs as with the heads silenced.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 2.3: a head is a block of rows of W_Q, W_K and
W_V and of columns of W_O; without them nothing is left of it.
"""

from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.errors import ModelError


@dataclass(frozen=True)
class HeadedModule:
    """An attention module whose heads can be taken out: its path in the network, how many it has, and of what size."""

    path: str
    module: Any  # of ours, or of timm
    heads: int
    each: int  # channels of a head

    @property
    def joining(self) -> nn.Linear:
        """W_O, which joins what the heads found."""
        return self.module.out if hasattr(self.module, "out") else self.module.proj


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


def headed_modules(network: nn.Module) -> tuple[HeadedModule, ...]:
    """The attention modules of a network in the order in which they stand there, of those layouts that are known here.

    ModelError if there is none: our GPT, BERT and translator, and timm's vision transformers have them.
    """
    found = tuple(_found(network))
    if not found:
        raise ModelError(
            f"{type(network).__name__} keeps its heads in a way that is not known here. Choose one of our transformers "
            "or a vision transformer of timm."
        )
    return found


def _found(network: nn.Module) -> Iterator[HeadedModule]:
    for path, module in network.named_modules():
        each: Any = module
        if isinstance(getattr(module, "qkv", None), nn.Linear) and hasattr(module, "proj"):
            if hasattr(module, "relative_position_bias_table"):
                continue  # windows with a bias for each head
            yield HeadedModule(path, module, each.num_heads, each.head_dim)
        elif isinstance(getattr(module, "out", None), nn.Linear) and isinstance(getattr(module, "heads", None), int):
            yield HeadedModule(path, module, each.heads, each.out.in_features // each.heads)


def without_heads(network: nn.Module, heads: Mapping[int, Collection[int]]) -> nn.Module:
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
    if not left:
        parent, _, name = headed.path.rpartition(".")
        setattr(network.get_submodule(parent), name, OnlyBias(headed.joining))
        return
    channels = torch.cat([torch.arange(head * headed.each, (head + 1) * headed.each) for head in left])
    module = headed.module
    if hasattr(module, "qkv"):
        inner = headed.heads * headed.each
        module.qkv = _rows(module.qkv, torch.cat([channels + part * inner for part in range(3)]))
    else:
        for name in ("query", "key", "value"):
            setattr(module, name, _rows(getattr(module, name), channels))
    if hasattr(module, "out"):
        module.out, module.heads = _columns(module.out, channels), len(left)
    else:
        module.proj, module.num_heads = _columns(module.proj, channels), len(left)
        module.attn_dim = len(channels)


def _rows(linear: nn.Linear, kept: Tensor) -> nn.Linear:
    """The same map with some of its outputs."""
    smaller = nn.Linear(linear.in_features, len(kept), bias=linear.bias is not None)
    smaller.weight = nn.Parameter(linear.weight.detach()[kept].clone(), linear.weight.requires_grad)
    if linear.bias is not None:
        smaller.bias = nn.Parameter(linear.bias.detach()[kept].clone(), linear.bias.requires_grad)
    return smaller


def _columns(linear: nn.Linear, kept: Tensor) -> nn.Linear:
    """The same map of some of its inputs."""
    smaller = nn.Linear(len(kept), linear.out_features, bias=linear.bias is not None)
    smaller.weight = nn.Parameter(linear.weight.detach()[:, kept].clone(), linear.weight.requires_grad)
    smaller.bias = linear.bias
    return smaller
