"""Weights on disk in half precision or in 8 bits, in memory in single precision."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

Network = TypeVar("Network", bound=nn.Module)
STEP = "#step"  # suffix of the name of a matrix in 8 bits: the quantisation step of each of its rows
FEW = 4096  # weights: a smaller matrix stays in half precision


def save_weights(network: nn.Module, file: Path, *, eight_bits: bool = False) -> None:
    """Write the weights; one that two modules share (tied embeddings) is written once.

    With `eight_bits` matrices and kernels are rounded to multiples of a 127th of the largest weight of each row.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    repeated = _repeated(network)
    stored: dict[str, Tensor] = {}
    for name, tensor in network.state_dict().items():
        if name in repeated:
            continue
        if eight_bits and tensor.ndim > 1 and tensor.numel() >= FEW:
            rows = tensor.detach().float().flatten(1)
            step = (rows.abs().amax(dim=1, keepdim=True) / 127).clamp_min(torch.finfo(torch.float16).tiny).half()
            stored[name] = (rows / step.float()).round().clamp(-127, 127).to(torch.int8).view(tensor.shape)
            stored[name + STEP] = step
        else:
            stored[name] = tensor.to(torch.float16).contiguous()
    save_file({name: tensor.cpu() for name, tensor in stored.items()}, file)
    file.chmod(0o644)


def load_weights(make: Callable[[], Network], file: Path) -> Network:
    """The network that `make` builds, with the weights of a file, in evaluation mode and without gradients.

    ValueError if the file lacks a weight of the network, or has others.
    """
    with _WithoutInitialisation():
        network = make()
    stored = load_file(file)
    weights = {name: tensor.float() for name, tensor in stored.items() if not name.endswith(STEP)}
    for name, step in stored.items():
        if name.endswith(STEP):
            rows = weights[name.removesuffix(STEP)]
            rows.flatten(1).mul_(step.float())
    missing, unexpected = network.load_state_dict(weights, strict=False)
    missing = set(missing) - _repeated(network)
    if missing or unexpected:
        raise ValueError(f"{file.name} does not fit: missing {sorted(missing)}, unknown {sorted(unexpected)}.")
    return network.eval().requires_grad_(False)


def _repeated(network: nn.Module) -> set[str]:
    """The further names of weights that several modules share."""
    first = {name for name, _ in network.named_parameters()}
    return {name for name, _ in network.named_parameters(remove_duplicate=False)} - first


class _WithoutInitialisation(TorchFunctionMode):
    """Skips random initialisation: the numbers would be overwritten, and take longer than reading the file.

    (Building on torch's "meta" device would do the same, but imports a computer algebra system.)
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in _RANDOM_FILLS or getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


_RANDOM_FILLS = {Tensor.normal_, Tensor.uniform_}
