"""Where networks keep their matrices, heads and hidden neurons: ours, those of timm and of transformers."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from ..errors import ModelError

# Where networks keep W_Q, W_K and W_V (or all three in one) and W_O, from the attention module on.
LAYOUTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("qkv",), "out"),  # our GPT and BERT
    (("query", "key", "value"), "out"),  # our translator
    (("qkv",), "proj"),  # timm
    (("self.query", "self.key", "self.value"), "output.dense"),  # transformers: BERT and its kin
    (("q_proj", "k_proj", "v_proj"), "o_proj"),  # Llama, ViT
    (("q_proj", "k_proj", "v_proj"), "out_proj"),  # OPT, CLIP
    (("q_lin", "k_lin", "v_lin"), "out_lin"),  # DistilBERT
    (("c_attn",), "c_proj"),  # GPT-2, its Conv1D made linear maps
)
# What modules call their number of heads, and the channels of all heads together.
COUNTS = ("heads", "num_heads", "n_heads", "num_attention_heads")
WIDTHS = ("attn_dim", "split_size", "all_head_size", "inner_dim")


@dataclass(frozen=True)
class HeadedModule:
    """An attention module whose heads can be taken out: its path in the network, how many it has, and of what size."""

    path: str
    module: Any  # of ours, of timm or of transformers
    heads: int
    each: int  # channels of a head
    parts: tuple[str, ...]  # paths of what makes queries, keys and values, from the module on
    joined_by: str

    @property
    def joining(self) -> nn.Linear:
        """W_O, which joins what the heads found."""
        return self.module.get_submodule(self.joined_by)


# Where they keep the maps into the hidden neurons of a layer (with a gate, two), and the map out of them.
HIDDEN_LAYOUTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("up",), "out"),  # ours
    (("fc1",), "fc2"),  # timm, and ViT of transformers
    (("intermediate.dense",), "output.dense"),  # BERT and its kin
    (("gate_proj", "up_proj"), "down_proj"),  # Llama
    (("lin1",), "lin2"),  # DistilBERT
    (("c_fc",), "c_proj"),  # GPT-2, its Conv1D made linear maps
)


@dataclass(frozen=True)
class HiddenLayer:
    """The hidden neurons of a feed-forward layer: its path in the network, and the maps into and out of them."""

    path: str
    module: nn.Module
    into: tuple[str, ...]
    out_of: str

    @property
    def neurons(self) -> int:
        """How many there are."""
        return self.module.get_submodule(self.out_of).in_features  # type: ignore[return-value]


def with_linears(network: nn.Module) -> nn.Module:
    """The network itself; where it has Conv1D of transformers, a copy with linear maps that compute the same."""
    if not any(type(module).__module__.startswith("transformers.") for module in network.modules()):
        return network
    from transformers.pytorch_utils import Conv1D  # half a second to import

    if not any(isinstance(module, Conv1D) for module in network.modules()):
        return network
    changed = deepcopy(network)
    for path, module in list(changed.named_modules()):
        if isinstance(module, Conv1D):
            linear = nn.Linear(*module.weight.shape)
            linear.weight = nn.Parameter(module.weight.detach().t().contiguous(), requires_grad=False)
            linear.bias = module.bias
            put(changed, path, linear)
    return changed


def matrices_of(network: nn.Module) -> dict[str, nn.Linear]:
    """The linear maps of a network by name."""
    return {name: part for name, part in network.named_modules() if type(part) is nn.Linear}


def block_of(name: str) -> int | None:
    """The layer that a matrix belongs to: the first number in its name; None outside of all layers."""
    found = re.search(r"(?:^|\.)(\d+)\.", name)
    return int(found[1]) if found else None


def headed_modules(network: nn.Module) -> tuple[HeadedModule, ...]:
    """The attention modules of a network in the order in which they stand there, of those layouts that are known here.

    ModelError if there is none: our GPT, BERT and translator, vision transformers of timm, and BERT, GPT-2, Llama (if
    each head has keys of its own) and the like of transformers have them.
    """
    found = tuple(_found(network))
    if not found:
        raise ModelError(
            f"{type(network).__name__} keeps its heads in a way that is not known here. Choose a transformer of ours, "
            "a vision transformer of timm, or a BERT or GPT-2 of transformers."
        )
    return found


def _found(network: nn.Module) -> Iterator[HeadedModule]:
    for path, module in network.named_modules():
        if hasattr(module, "relative_position_bias_table"):
            continue  # windows with a bias for each head
        for parts, joined_by in LAYOUTS:
            linears = [_linear(module, name) for name in (*parts, joined_by)]
            heads = _count(module)
            if None in linears or heads is None:
                continue
            *makers, joining = [linear for linear in linears if linear is not None]
            inner = joining.in_features
            if inner % heads == 0 and all(maker.out_features * len(parts) == 3 * inner for maker in makers):
                yield HeadedModule(path, module, heads, inner // heads, parts, joined_by)
                break


def _linear(module: nn.Module, path: str) -> nn.Linear | None:
    for name in path.split("."):
        module = getattr(module, name, None)  # type: ignore[assignment]
        if not isinstance(module, nn.Module):
            return None
    return module if isinstance(module, nn.Linear) else None


def _count(module: nn.Module) -> int | None:
    """How many heads a module says that it has, itself, in a part called `self`, or in its settings."""
    own = getattr(module, "self", None)
    for place in (module, own, getattr(module, "config", None)):
        for name in COUNTS:
            if isinstance(found := getattr(place, name, None), int) and found > 0:
                return found
    return None


def hidden_layers(network: nn.Module) -> tuple[HiddenLayer, ...]:
    """The feed-forward layers of a network; ModelError if there is none of a layout that is known here."""
    found = []
    for path, module in network.named_modules():
        for into, out_of in HIDDEN_LAYOUTS:
            linears = [linear for name in (*into, out_of) if (linear := _linear(module, name)) is not None]
            if len(linears) > len(into) and {each.out_features for each in linears[:-1]} == {linears[-1].in_features}:
                found.append(HiddenLayer(path, module, into, out_of))
                break
    if not found:
        raise ModelError(
            f"{type(network).__name__} keeps the neurons of its feed-forward layers in a way that is not known here."
        )
    return tuple(found)


def put(module: nn.Module, path: str, part: nn.Module) -> None:
    """Set a part of a module by its path."""
    parent, _, name = path.rpartition(".")
    setattr(module.get_submodule(parent), name, part)


def some_rows(linear: nn.Linear, kept: Tensor) -> nn.Linear:
    """The same map with some of its outputs."""
    smaller = nn.Linear(linear.in_features, len(kept), bias=linear.bias is not None)
    smaller.weight = nn.Parameter(linear.weight.detach()[kept].clone(), linear.weight.requires_grad)
    if linear.bias is not None:
        smaller.bias = nn.Parameter(linear.bias.detach()[kept].clone(), linear.bias.requires_grad)
    return smaller


def some_columns(linear: nn.Linear, kept: Tensor) -> nn.Linear:
    """The same map of some of its inputs."""
    smaller = nn.Linear(len(kept), linear.out_features, bias=linear.bias is not None)
    smaller.weight = nn.Parameter(linear.weight.detach()[:, kept].clone(), linear.weight.requires_grad)
    smaller.bias = linear.bias
    return smaller
