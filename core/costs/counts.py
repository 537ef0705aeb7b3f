"""Parameters and operations by count: from the module tree, and during a run."""

from collections import Counter
from collections.abc import Callable

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from ..capture.hooked_copy import weight_sharing_copy
from .bill import HEAD, OTHER, QKV, SCORES, part_of

_SQUARES = ("bmm", "baddbmm", "scaled_dot_product")  # operators of products without a weight matrix


def count_parameters(network: nn.Module) -> dict[str, int]:
    """Part -> parameters, shared ones once, by the paths in the module tree."""
    counts: Counter[str] = Counter()
    for path, parameter in network.named_parameters():
        counts[part_of(path)] += parameter.numel()
    return dict(counts)


def count_flops(network: nn.Module, run: Callable[[nn.Module], object]) -> dict[str, int]:
    """Part -> operations of the matrix products in one run, as torch's own table of formulas counts them.

    `run` is called with a copy of the network, which it must call. torch's FlopCounterMode sets its hooks on all
    modules of the process, where other visitors' models run; here they are on the copy, in this thread.
    """
    copy, stack = weight_sharing_copy(network), [""]
    for path, module in copy.named_modules():

        def enter(module: nn.Module, args: tuple, path: str = path) -> None:  # noqa: ARG001
            stack.append(path)

        def leave(module: nn.Module, args: tuple, output: object) -> None:  # noqa: ARG001
            stack.pop()

        module.register_forward_pre_hook(enter)
        module.register_forward_hook(leave)
    modules = dict(copy.named_modules())
    with torch.no_grad(), _FlopCounter(lambda operator: _part(operator, stack[-1], modules)) as counter:
        run(copy)
    return dict(counter.counts)


class _FlopCounter(TorchDispatchMode):
    """Adds up the operations of every call in this thread."""

    def __init__(self, part: Callable[[str], str]):
        super().__init__()
        self.part = part
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        formula = flop_registry.get(func._overloadpacket)
        if formula is None:
            decomposed = func.decompose(*args, **kwargs)  # e.g. a linear map into a product and a sum
            if decomposed is not NotImplemented:
                return decomposed
        result = func(*args, **kwargs)
        if formula is not None:
            self.counts[self.part(func._overloadpacket.__name__)] += formula(*args, **kwargs, out_val=result)
        return result


def _part(operator: str, path: str, modules: dict[str, nn.Module]) -> str:
    if not path:
        return HEAD  # GPT multiplies by its token embedding outside of any submodule
    part = part_of(path)
    if part in (QKV, OTHER) and any(name in operator for name in _SQUARES) and not hasattr(modules[path], "weight"):
        return SCORES
    return part
