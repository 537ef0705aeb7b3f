"""The importance of heads: by the gradient of a gate at each of them, or by the loss without them."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..progress import Progress, no_progress
from .layouts import HeadedModule, headed_modules

Head = tuple[int, int]  # (attention module, head), both counted from 0
Losses = Callable[[nn.Module], Float[Tensor, " batch"]]  # runs a network; a loss for each input of a batch


def gradient_importance(network: nn.Module, losses: Losses, *, normalised: bool = True) -> list[Float[Tensor, " head"]]:
    """The importance of the heads of each attention module: E |dL / d xi_h| (Michel et al. 2019, equation 2).

    xi_h is a gate of 1 that multiplies the output of head h. `normalised`: the importances of each module are divided
    by their L2 norm, as in section 4.1.
    """
    modules = headed_modules(network)
    with torch.enable_grad(), _Gates(modules) as gates:
        total = losses(network).sum()
    importances = []
    for headed, gate in zip(modules, gates.of(modules), strict=True):
        (slope,) = torch.autograd.grad(total, gate, retain_graph=True)
        mean = slope.abs().mean(dim=0)
        importances.append(mean / mean.norm().clamp(min=1e-12) if normalised else mean)
        assert len(mean) == headed.heads
    return importances


@torch.inference_mode()
def loss_increase_without(
    network: nn.Module, losses: Losses, ablated: Sequence[Head] = (), progress: Progress = no_progress
) -> list[Float[Tensor, " head"]]:
    """The increase of the mean loss, in nats, when a head is ablated (Michel et al. 2019, section 3.2), for each head.

    `ablated`: heads that are ablated in either case; their own increase is 0.
    """
    modules = headed_modules(network)
    with _Gates(modules) as gates:
        gates.close(ablated)
        base = float(losses(network).mean())
        rises = [torch.zeros(headed.heads) for headed in modules]
        heads = [head for head in _heads(modules) if head not in set(ablated)]
        for count, (number, head) in enumerate(heads):
            progress(count, len(heads))
            gates.close([*ablated, (number, head)])
            rises[number][head] = float(losses(network).mean()) - base
    return rises


def greedy_order(network: nn.Module, losses: Losses, progress: Progress = no_progress) -> list[Head]:
    """All heads in the order of greedy ablation: next is always the one whose ablation gives the lowest loss."""
    order: list[Head] = []
    heads = _heads(headed_modules(network))
    total = len(heads) * (len(heads) + 1) // 2
    while len(order) < len(heads):
        remaining = len(heads) - len(order)
        before = total - remaining * (remaining + 1) // 2

        def report(done: int, _total: int, before: int = before) -> None:
            progress(before + done, total)

        rises = loss_increase_without(network, losses, order, report)
        order.append(next(head for head in ranked(rises) if head not in order))
    return order


def ranked(importances: Sequence[Float[Tensor, " head"]]) -> list[Head]:
    """All heads, the least important first."""
    scored = [
        (float(value), (number, head))
        for number, values in enumerate(importances)
        for head, value in enumerate(values.tolist())
    ]
    return [head for _, head in sorted(scored)]


def random_order(network: nn.Module, *, seed: int) -> list[Head]:
    """All heads in a random order."""
    heads = _heads(headed_modules(network))
    rng = torch.Generator().manual_seed(seed)
    return [heads[place] for place in torch.randperm(len(heads), generator=rng).tolist()]


def by_module(heads: Sequence[Head]) -> dict[int, list[int]]:
    """The heads of each module by its number, as `prune_heads` takes them."""
    heads_of_module: dict[int, list[int]] = {}
    for number, head in heads:
        heads_of_module.setdefault(number, []).append(head)
    return heads_of_module


def _heads(modules: Sequence[HeadedModule]) -> list[Head]:
    return [(number, head) for number, headed in enumerate(modules) for head in range(headed.heads)]


class _Gates(TorchFunctionMode):
    """Multiplies the input of each W_O by a gate for each input and head, 1 or 0 if closed; in this thread alone."""

    def __init__(self, modules: Sequence[HeadedModule]):
        super().__init__()
        self.by_weight = {id(headed.output_projection.weight): headed for headed in modules}
        self.gates = dict[int, Tensor]()
        self.closed = dict[int, list[int]]()
        self.modules = modules

    def close(self, heads: Sequence[Head]) -> None:
        """Set the gates of these heads to 0 and all others to 1."""
        self.closed = {
            id(self.modules[number].output_projection.weight): closed_heads
            for number, closed_heads in by_module(heads).items()
        }

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.linear and len(args) > 1 and (headed := self.by_weight.get(id(args[1]))):
            x = args[0]
            gate = torch.ones(x.shape[0], headed.heads, device=x.device)
            gate[:, self.closed.get(id(args[1]), [])] = 0.0
            gate.requires_grad_(torch.is_grad_enabled())
            self.gates[id(args[1])] = gate
            args = (x * gate.repeat_interleave(headed.head_dim, dim=1)[:, None], *args[1:])
        return func(*args, **(kwargs or {}))

    def of(self, modules: Sequence[HeadedModule]) -> list[Tensor]:
        """The gates of each module."""
        return [self.gates[id(headed.output_projection.weight)] for headed in modules]
