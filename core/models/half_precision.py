"""Weights on disk in half precision, in memory in single: half the size, and a processor computes faster and closer."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

Network = TypeVar("Network", bound=nn.Module)


def save_weights(network: nn.Module, file: Path) -> None:
    """Write the weights; one that two modules share (tied embeddings) is written once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    repeated = _repeated(network)
    kept = {name: tensor for name, tensor in network.state_dict().items() if name not in repeated}
    save_file({name: tensor.to(torch.float16).contiguous() for name, tensor in kept.items()}, file)
    file.chmod(0o644)


def load_weights(make: Callable[[], Network], file: Path) -> Network:
    """The network that `make` builds, with the weights of a file, ready to be read: no dropout, no gradients.

    Raises ValueError if the file does not hold just what the network needs.
    """
    with _WithoutDrawing():
        network = make()
    weights = {name: tensor.float() for name, tensor in load_file(file).items()}
    missing, unexpected = network.load_state_dict(weights, strict=False)
    missing = set(missing) - _repeated(network)
    if missing or unexpected:
        raise ValueError(f"{file.name} does not fit: missing {sorted(missing)}, unknown {sorted(unexpected)}.")
    return network.eval().requires_grad_(False)


def _repeated(network: nn.Module) -> set[str]:
    """The further names of weights that more than one module has."""
    first = {name for name, _ in network.named_parameters()}
    return {name for name, _ in network.named_parameters(remove_duplicate=False)} - first


class _WithoutDrawing(TorchFunctionMode):
    """No random numbers are drawn: they would be overwritten, and drawing them takes longer than reading the file.

    (Building on torch's "meta" device would do the same, and import a computer algebra system on the way.)
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in _DRAWS or getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


_DRAWS = {Tensor.normal_, Tensor.uniform_}
