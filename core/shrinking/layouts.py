"""Where networks keep their matrices, heads and hidden neurons: this project's, timm's and those of transformers."""

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
    """An attention module whose heads can be pruned: its path in the network, and number and size of its heads."""

    path: str
    module: Any  # of ours, of timm or of transformers
    heads: int
    head_dim: int  # channels of a head
    parts: tuple[str, ...]  # paths of what makes queries, keys and values, from the module on
    output_path: str

    @property
    def output_projection(self) -> nn.Linear:
        """W_O, which maps the outputs of the heads to the output of the module."""
        return self.module.get_submodule(self.output_path)


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
        """The number of hidden neurons."""
        return self.module.get_submodule(self.out_of).in_features  # type: ignore[return-value]


def with_linears(network: nn.Module) -> nn.Module:
    """The network itself; if it has Conv1D modules of transformers, a copy with equivalent linear maps."""
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
    """The layer of a matrix: the first number in its name; None if there is none."""
    number = re.search(r"(?:^|\.)(\d+)\.", name)
    return int(number[1]) if number else None


def headed_modules(network: nn.Module) -> tuple[HeadedModule, ...]:
    """The attention modules of a network in its own order, of LAYOUTS.

    ModelError if there is none. Supported are this project's GPT, BERT and translator, vision transformers of timm, and
    of transformers BERT, GPT-2, Llama (without shared keys) and the like.
    """
    modules = tuple(_headed_modules(network))
    if not modules:
        raise ModelError(
            f"{type(network).__name__} keeps its heads in a way that is not known here. Choose a transformer of ours, "
            "a vision transformer of timm, or a BERT or GPT-2 of transformers."
        )
    return modules


def _headed_modules(network: nn.Module) -> Iterator[HeadedModule]:
    for path, module in network.named_modules():
        if hasattr(module, "relative_position_bias_table"):
            continue  # windows with a bias for each head
        for parts, output_path in LAYOUTS:
            linears = [_linear(module, name) for name in (*parts, output_path)]
            heads = _count(module)
            if None in linears or heads is None:
                continue
            *makers, output_projection = [linear for linear in linears if linear is not None]
            inner = output_projection.in_features
            if inner % heads == 0 and all(maker.out_features * len(parts) == 3 * inner for maker in makers):
                yield HeadedModule(path, module, heads, inner // heads, parts, output_path)
                break


def _linear(module: nn.Module, path: str) -> nn.Linear | None:
    for name in path.split("."):
        module = getattr(module, name, None)  # type: ignore[assignment]
        if not isinstance(module, nn.Module):
            return None
    return module if isinstance(module, nn.Linear) else None


def _count(module: nn.Module) -> int | None:
    """The number of heads that a module, its submodule `self`, or its `config` declares; None if none of them does."""
    own = getattr(module, "self", None)
    for holder in (module, own, getattr(module, "config", None)):
        for name in COUNTS:
            if isinstance(count := getattr(holder, name, None), int) and count > 0:
                return count
    return None


def hidden_layers(network: nn.Module) -> tuple[HiddenLayer, ...]:
    """The feed-forward layers of a network, of HIDDEN_LAYOUTS; ModelError if there is none."""
    layers = []
    for path, module in network.named_modules():
        for into, out_of in HIDDEN_LAYOUTS:
            linears = [linear for name in (*into, out_of) if (linear := _linear(module, name)) is not None]
            if len(linears) > len(into) and {linear.out_features for linear in linears[:-1]} == {
                linears[-1].in_features
            }:
                layers.append(HiddenLayer(path, module, into, out_of))
                break
    if not layers:
        raise ModelError(
            f"{type(network).__name__} keeps the neurons of its feed-forward layers in a way that is not known here."
        )
    return tuple(layers)


def put(module: nn.Module, path: str, part: nn.Module) -> None:
    """Replace the submodule at `path`."""
    parent, _, name = path.rpartition(".")
    setattr(module.get_submodule(parent), name, part)


def some_rows(linear: nn.Linear, rows: Tensor) -> nn.Linear:
    """A linear map with only these rows of the weight: some of the outputs."""
    smaller = nn.Linear(linear.in_features, len(rows), bias=linear.bias is not None)
    smaller.weight = nn.Parameter(linear.weight.detach()[rows].clone(), linear.weight.requires_grad)
    if linear.bias is not None:
        smaller.bias = nn.Parameter(linear.bias.detach()[rows].clone(), linear.bias.requires_grad)
    return smaller


def some_columns(linear: nn.Linear, columns: Tensor) -> nn.Linear:
    """A linear map with only these columns of the weight: some of the inputs."""
    smaller = nn.Linear(len(columns), linear.out_features, bias=linear.bias is not None)
    smaller.weight = nn.Parameter(linear.weight.detach()[:, columns].clone(), linear.weight.requires_grad)
    smaller.bias = linear.bias
    return smaller
