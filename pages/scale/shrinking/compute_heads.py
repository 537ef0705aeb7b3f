"""What is computed for Heads: importance on one input in four ways, and the network without some heads."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from core.progress import Progress, no_progress
from core.shrinking.importance import (
    Head,
    by_module,
    gradient_importance,
    greedy_order,
    loss_increase_without,
    random_order,
    ranked,
)
from core.shrinking.pruned_heads import prune_heads
from dashboard.cache.memo import cached
from pages.scale.shrinking.compute import Beside, Question, beside, losses_of, network_of

BY_GRADIENT, ALONE, GREEDY, BY_CHANCE = WAYS = ("by gradient", "by loss alone", "greedily", "at random")


@dataclass(frozen=True, eq=False)
class Ranked:
    """The heads of a network: all of them, those to go first first, and a value from 0 to 1 for each.

    By gradient it is the importance, scaled to length 1 for each module; else the place in the order.
    """

    way: str
    values: tuple[Float[Tensor, " head"], ...]
    order: tuple[Head, ...]


@cached("Asking which heads matter …", unit="tries")
def rank(question: Question, way: str, progress: Progress = no_progress) -> Ranked:
    """One of WAYS on one input, for what the network itself says of it."""
    network, losses = network_of(question), losses_of(question)
    importance = [scores.detach() for scores in gradient_importance(network, losses)]
    if way == BY_GRADIENT:
        return Ranked(way, tuple(importance), tuple(ranked(importance)))
    if way == ALONE:
        order = ranked(loss_increase_without(network, losses, progress=progress))
    elif way == GREEDY:
        order = greedy_order(network, losses, progress)
    else:
        order = random_order(network, seed=0)
    return Ranked(way, places(order, [len(scores) for scores in importance]), tuple(order))


def places(order: Sequence[Head], counts: Sequence[int]) -> tuple[Float[Tensor, " head"], ...]:
    """When each head goes: 0 for the first, 1 for the last."""
    ranks = tuple(torch.zeros(count) for count in counts)
    for place, (module, head) in enumerate(order):
        ranks[module][head] = place / max(1, len(order) - 1)
    return ranks


@cached("Taking heads out …")
def without(question: Question, gone: tuple[Head, ...]) -> Beside:
    """The network without some heads, on one input."""
    smaller = prune_heads(network_of(question), by_module(gone)).eval().requires_grad_(False)
    return beside(question, smaller, identity=(question, gone))
