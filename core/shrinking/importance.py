"""Which heads matter: by the gradient of a gate at each of them, and in an order drawn at random."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from core.shrinking.pruned_heads import HeadedModule, headed_modules

Head = tuple[int, int]  # (attention module, head), both counted from 0


def gradient_importance(
    network: nn.Module, losses: Callable[[nn.Module], Float[Tensor, " batch"]], *, normalised: bool = True
) -> list[Float[Tensor, " head"]]:
    """For each attention module the importance of its heads: E |dL / d xi_h| (Michel et al. 2019, equation 2).

    xi_h is a gate of 1 that multiplies what head h adds. `losses` runs the network and gives a loss for each input of a
    batch. `normalised`: each module's importances have length 1, as in section 4.1.
    """
    modules = headed_modules(network)
    with torch.enable_grad(), _Gates(modules) as gates:
        total = losses(network).sum()
    found = []
    for headed, gate in zip(modules, gates.of(modules), strict=True):
        (slope,) = torch.autograd.grad(total, gate, retain_graph=True)
        mean = slope.abs().mean(dim=0)
        found.append(mean / mean.norm().clamp(min=1e-12) if normalised else mean)
        assert len(mean) == headed.heads
    return found


class _Gates(TorchFunctionMode):
    """Multiplies the input of each W_O by gates of 1, one for each input and head; in this thread alone."""

    def __init__(self, modules: Sequence[HeadedModule]):
        super().__init__()
        self.by_weight = {id(headed.joining.weight): headed for headed in modules}
        self.gates = dict[int, Tensor]()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.linear and len(args) > 1 and (headed := self.by_weight.get(id(args[1]))):
            x = args[0]
            gate = torch.ones(x.shape[0], headed.heads, device=x.device, requires_grad=True)
            self.gates[id(args[1])] = gate
            args = (x * gate.repeat_interleave(headed.each, dim=1)[:, None], *args[1:])
        return func(*args, **(kwargs or {}))

    def of(self, modules: Sequence[HeadedModule]) -> list[Tensor]:
        """The gates of each module."""
        return [self.gates[id(headed.joining.weight)] for headed in modules]


def ranked(importances: Sequence[Float[Tensor, " head"]]) -> list[Head]:
    """All heads, the least important first."""
    scored = [
        (float(value), (number, head))
        for number, values in enumerate(importances)
        for head, value in enumerate(values.tolist())
    ]
    return [head for _, head in sorted(scored)]


def random_order(network: nn.Module, *, seed: int) -> list[Head]:
    """All heads in an order that knows nothing of them."""
    heads = [(number, head) for number, headed in enumerate(headed_modules(network)) for head in range(headed.heads)]
    dice = torch.Generator().manual_seed(seed)
    return [heads[place] for place in torch.randperm(len(heads), generator=dice).tolist()]


def by_module(heads: Sequence[Head]) -> dict[int, list[int]]:
    """Heads as `without_heads` takes them."""
    found: dict[int, list[int]] = {}
    for number, head in heads:
        found.setdefault(number, []).append(head)
    return found
