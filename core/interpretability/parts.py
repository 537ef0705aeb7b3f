"""The parts of a model: which of its modules are shown as one part, and of which kind."""

import re
from dataclasses import dataclass, field
from typing import Literal

from torch import nn

Kind = Literal[
    "embedding", "positions", "norm", "attention", "cross-attention", "MLP", "linear", "head", "block", "other"
]
Shape = tuple[int, ...]

_POSITIONS = re.compile(r"pos|wpe")


@dataclass(frozen=True)
class Part:
    """One part: its kind, class, number of parameters and shapes.

    `key` is its name in the address: its path, and the turn if the module ran before (T5 embeds source and target with
    one module). `inner` are the modules inside that have weights of their own.
    """

    key: str
    path: str
    turn: int
    kind: Kind
    class_name: str
    parameters: int
    inputs: tuple[Shape, ...] = ()
    outputs: tuple[Shape, ...] = ()
    inner: tuple["Part", ...] = field(default=())

    @property
    def name(self) -> str:
        """The last component of its path."""
        return self.path.rpartition(".")[2]


def atoms_of(model: nn.Module, attention: frozenset[str]) -> dict[str, Kind]:
    """The paths of all modules that are one part each, with their kinds.

    `attention` holds the paths at which attention was recorded. Other modules are searched for parts inside them.
    """
    kinds: dict[str, Kind] = {}

    def visit(path: str, module: nn.Module) -> None:
        kind = (
            "attention" if path in attention else _kind_of(path, module, any(_inside(call, path) for call in attention))
        )
        if kind is not None:
            kinds[path] = kind
            return
        for name, child in module.named_children():
            visit(f"{path}.{name}" if path else name, child)

    for name, child in model.named_children():
        visit(name, child)
    return kinds


def stacks_of(model: nn.Module, attention: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Paths of the innermost sequences of equal blocks with attention in them, and the paths of their blocks."""
    stacks = {}
    for path, module in model.named_modules():
        if not isinstance(module, nn.ModuleList | nn.Sequential) or not len(module):
            continue
        blocks = tuple(f"{path}.{name}" for name, _ in module.named_children())
        equal = len({type(block) for block in module}) == 1
        if equal and any(_inside(call, block) for call in attention for block in blocks):
            stacks[path] = blocks
    # Swin has stages with blocks inside: the blocks are meant.
    return {path: blocks for path, blocks in stacks.items() if not any(_within(other, path) for other in stacks)}


def is_linear(module: nn.Module) -> bool:
    """A matrix and perhaps a bias: torch's Linear, or the transposed one of GPT-2 in transformers."""
    return isinstance(module, nn.Linear) or type(module).__name__ == "Conv1D"


def is_norm(module: nn.Module) -> bool:
    """Layer norm, RMS norm or the like: its parameters are vectors, one number for each channel."""
    weights = list(module.parameters())
    return "norm" in type(module).__name__.lower() and bool(weights) and all(w.ndim == 1 for w in weights)


def kind_of(module: nn.Module) -> Kind:
    """The kind of a module inside a part."""
    if is_norm(module):
        return "norm"
    if isinstance(module, nn.Embedding):
        return "embedding"
    return "linear" if is_linear(module) else "other"


def inner_of(path: str, module: nn.Module) -> tuple[str, ...]:
    """The paths of the modules inside that have weights of their own."""
    return tuple(
        f"{path}.{name}" for name, child in module.named_modules() if name and list(child.parameters(recurse=False))
    )


def _kind_of(path: str, module: nn.Module, has_attention: bool) -> Kind | None:
    """None for a container, and for a module without parameters, such as dropout."""
    name = type(module).__name__.lower()
    inside = [child for child in module.modules() if child is not module]
    if has_attention:
        return None
    if not list(module.parameters()):
        return "positions" if "rotary" in name or "position" in name else None
    if is_norm(module):
        return "norm"
    tables = [child for child in inside if isinstance(child, nn.Embedding)]
    norms = [child for child in inside if is_norm(child)]
    linears = [child for child in inside if is_linear(child)]
    if isinstance(module, nn.Embedding) or ("embed" in name and not tables and not norms):
        return "positions" if _POSITIONS.search(path.rpartition(".")[2]) or "position" in name else "embedding"
    if is_linear(module):
        return "linear"
    if linears and not norms and not tables and len(linears) > 1:
        return "MLP"
    if len(linears) == 1 and len(inside) == 2 and not norms:  # a linear map and its nonlinearity, as in BERT
        return "MLP"
    if not inside:
        return "other"
    return None


def _within(path: str, place: str) -> bool:
    return path.startswith(place + ".")


def _inside(path: str, place: str) -> bool:
    return path == place or path.startswith(place + ".")
