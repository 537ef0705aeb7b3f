"""All heads of a recorded run aggregated: means, largest weights, rollout and paths through its layers."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ..capture import AttentionCall
from ..heads.measures import shares
from ..progress import Progress, no_progress
from . import aggregation

NAMES = MEAN, LARGEST, OVERALL, ROLLOUT, STRONGEST, WIDEST = (
    "Mean over heads",
    "Largest over heads",
    "Mean over layers",
    "Rollout",
    "Strongest path",
    "Widest path",
)
PATHS = (STRONGEST, WIDEST)
ACROSS = (ROLLOUT, *PATHS)  # from a layer down to the input


@dataclass(frozen=True, eq=False)
class Stack:
    """The self-attention layers of one sequence, from the input up, by their numbers in the record."""

    calls: dict[int, AttentionCall]
    sequence: str
    skipped: tuple[int, ...]  # layers in between, in which not all tokens attend to all

    @property
    def length(self) -> int:
        """The number of tokens."""
        return next(iter(self.calls.values())).query_length


@dataclass(frozen=True, eq=False)
class AggregatedMaps:
    """The maps of a stack, aggregated by one of NAMES.

    `maps` has one entry for each layer (a single one for the mean over layers); `means` are the mean maps of the
    layers, and `deviations` holds for each head the share of its attention that differs from the mean map, each
    row as parts of its own sum; NaN for a head without attention.
    """

    name: str
    stack: Stack
    maps: Float[np.ndarray, "_ token token"]
    means: Float[np.ndarray, "layer token token"]
    deviations: tuple[Float[np.ndarray, " head"], ...]

    @property
    def graph(self) -> Float[Tensor, "layer token token"]:
        """The graph of rollout and paths: the mean maps with residual connections."""
        return aggregation.with_residual(torch.from_numpy(self.means))


def combine(stack: Stack, name: str, progress: Progress = no_progress) -> AggregatedMaps:
    """Aggregate by one of NAMES; `progress` is called after each step, and may stop the work by an exception."""
    layers = len(stack.calls)
    steps = layers * (2 if name in PATHS else 1)
    means, largest, apart = [], [], []
    for done, call in enumerate(stack.calls.values(), start=1):
        weights = torch.stack([call.weights(head=head) for head in range(call.heads)])
        means.append(mean := aggregation.mean_over_heads(weights))
        distances = (shares(weights) - shares(mean)).abs().sum(dim=-1) / 2
        apart.append(distances.nanmean(dim=-1).numpy())
        if name == LARGEST:
            largest.append(aggregation.max_over_heads(weights))
        progress(done, steps)
    stacked = torch.stack(means)
    graph = aggregation.with_residual(stacked)

    def report(done: int, _: int) -> None:
        progress(layers + done, steps)

    maps = {
        MEAN: lambda: stacked,
        LARGEST: lambda: torch.stack(largest),
        OVERALL: lambda: aggregation.mean_over_layers(stacked)[None],
        ROLLOUT: lambda: aggregation.rollout(graph),
        STRONGEST: lambda: aggregation.strongest_paths(graph, report),
        WIDEST: lambda: aggregation.widest_paths(graph, report),
    }[name]()
    return AggregatedMaps(name, stack, maps.numpy(), stacked.numpy(), tuple(apart))
