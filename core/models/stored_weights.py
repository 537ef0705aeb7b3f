"""Weights on disk in half precision or in 8 bits, in memory in single: small files, and computing is fast."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

Network = TypeVar("Network", bound=nn.Module)
STEP = "#step"  # behind the name of a matrix in 8 bits: what one step of it is worth, for each of its rows
FEW = 4096  # weights: a smaller matrix stays in half precision


def save_weights(network: nn.Module, file: Path, *, eight_bits: bool = False) -> None:
    """Write the weights; one that two modules share (tied embeddings) is written once.

    With `eight_bits` matrices and kernels are rounded to whole steps of a 127th of the largest weight of each row.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    repeated = _repeated(network)
    kept: dict[str, Tensor] = {}
    for name, tensor in network.state_dict().items():
        if name in repeated:
            continue
        if eight_bits and tensor.ndim > 1 and tensor.numel() >= FEW:
            rows = tensor.detach().float().flatten(1)
            step = (rows.abs().amax(dim=1, keepdim=True) / 127).clamp_min(torch.finfo(torch.float16).tiny).half()
            kept[name] = (rows / step.float()).round().clamp(-127, 127).to(torch.int8).view(tensor.shape)
            kept[name + STEP] = step
        else:
            kept[name] = tensor.to(torch.float16).contiguous()
    save_file({name: tensor.cpu() for name, tensor in kept.items()}, file)
    file.chmod(0o644)


def load_weights(make: Callable[[], Network], file: Path) -> Network:
    """The network that `make` builds, with the weights of a file, ready to be read: no dropout, no gradients.

    Raises ValueError if the file does not hold just what the network needs.
    """
    with _WithoutDrawing():
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
