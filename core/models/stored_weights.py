"""Weights on disk in half precision or in 8 bits, in memory in single precision."""

import math
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

Network = TypeVar("Network", bound=nn.Module)
STEP = "#step"  # suffix of the name of a matrix in 8 bits: the quantisation step of each of its rows
FEW = 4096  # weights: a smaller matrix stays in half precision


def save_weights(
    network: nn.Module, file: Path, *, eight_bits: bool = False, stored_elsewhere: Collection[str] = ()
) -> None:
    """Write the weights; one that two modules share (tied embeddings) is written once.

    With `eight_bits` matrices and kernels are rounded to multiples of a 127th of the largest weight of each row.
    `stored_elsewhere`: names of weights that another file holds, which are not written.
    """
    omitted = _repeated(network) | set(stored_elsewhere)
    weights = {name: tensor for name, tensor in network.state_dict().items() if name not in omitted}
    _write(weights, file, eight_bits=eight_bits)


def convert_to_eight_bits(file: Path) -> None:
    """Rewrite a file of weights in half precision, as `save_weights` writes them in 8 bits; ValueError if they are."""
    # Copies: what `load_file` returns may lie in the file that is about to be written.
    weights = {name: tensor.clone() for name, tensor in load_file(file).items()}
    if any(name.endswith(STEP) for name in weights):
        raise ValueError(f"{file.name} is stored in 8 bits already.")
    _write(weights, file, eight_bits=True)


def count_weights(file: Path, *, only: Collection[str] = ()) -> int:
    """The number of weights in a file, or in its tensors named `only`; reads its header only.

    The steps of weights in 8 bits are not counted.
    """
    with safe_open(file, framework="pt") as weights:
        names = only or [name for name in weights.keys() if not name.endswith(STEP)]  # noqa: SIM118
        return sum(math.prod(weights.get_slice(name).get_shape()) for name in names)


def load_weights(
    make: Callable[[], Network], file: Path, *, stored_elsewhere: Mapping[str, Tensor] | None = None
) -> Network:
    """The network that `make` builds, with the weights of a file, in evaluation mode and without gradients.

    `stored_elsewhere`: weights that `save_weights` did not write, by name. ValueError if the file lacks another weight
    of the network, or has one that the network lacks.
    """
    with _WithoutInitialisation():
        network = make()
    stored = load_file(file)
    weights = {name: tensor.float() for name, tensor in stored.items() if not name.endswith(STEP)}
    for name, step in stored.items():
        if name.endswith(STEP):
            _rescale(weights[name.removesuffix(STEP)], step)
    weights |= stored_elsewhere or {}
    missing, unexpected = network.load_state_dict(weights, strict=False)
    missing = set(missing) - _repeated(network)
    if missing or unexpected:
        raise ValueError(f"{file.name} does not fit: missing {sorted(missing)}, unknown {sorted(unexpected)}.")
    return network.eval().requires_grad_(False)


def read_weight(file: Path, name: str) -> Tensor:
    """One weight of a file, in single precision; SafetensorError where it is missing."""
    with safe_open(file, framework="pt") as weights:
        tensor = weights.get_tensor(name).float()
        if name + STEP in weights.keys():  # noqa: SIM118
            _rescale(tensor, weights.get_tensor(name + STEP))
    return tensor


def _rescale(rows: Tensor, step: Tensor) -> None:
    """Multiply each row of whole numbers by its quantisation step, in place."""
    rows.flatten(1).mul_(step.float())


def _write(weights: Mapping[str, Tensor], file: Path, *, eight_bits: bool) -> None:
    stored: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if eight_bits and tensor.ndim > 1 and tensor.numel() >= FEW:
            rows = tensor.detach().float().flatten(1)
            step = (rows.abs().amax(dim=1, keepdim=True) / 127).clamp_min(torch.finfo(torch.float16).tiny).half()
            stored[name] = (rows / step.float()).round().clamp(-127, 127).to(torch.int8).view(tensor.shape)
            stored[name + STEP] = step
        else:
            stored[name] = tensor.to(torch.float16).contiguous()
    file.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.cpu() for name, tensor in stored.items()}, file)
    file.chmod(0o644)


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
