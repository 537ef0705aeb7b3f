"""The rows of queries, keys and values that are computed and cached when a text is read in steps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from ..capture import Record, record_attention
from ..progress import Progress, no_progress
from .reader import Reader

NOT_NEEDED, CACHED, COMPUTED = range(3)  # the state of a row of q, k or v in a step
ROWS = ("q", "k", "v")


@dataclass(frozen=True)
class Step:
    """The tokens from `first` up to, not including, `last` are read at once."""

    first: int
    last: int
    queries: tuple[int, ...]  # of each layer: rows of q
    keys: tuple[int, ...]  # of each layer: rows of k, and of v, new and cached ones
    bytes: int  # of the cached keys and values after the step

    def computed_rows(self) -> int:
        """The number of rows of q, k and v that all layers compute in this step."""
        return sum(3 * queries for queries in self.queries)

    def cached_rows(self) -> int:
        """The number of rows of k and v that all layers take from the cache."""
        return sum(2 * (keys - queries) for queries, keys in zip(self.queries, self.keys, strict=True))


@dataclass(frozen=True)
class SteppedReading:
    """A text that was read in steps with a cache, compared with one full pass."""

    steps: tuple[Step, ...]
    difference: float  # the largest absolute difference of logits
    largest: float  # the largest absolute logit of the full pass

    def step_of(self, token: int) -> Step:
        """The step in which a token is read."""
        return next(step for step in self.steps if token < step.last)


def read_in_steps(
    network: nn.Module, tokens: Sequence[int], *, prompt: int, progress: Progress = no_progress
) -> SteppedReading:
    """Read the first `prompt` tokens at once and the others one at a time, and record the attention calls."""
    reader, steps, logits = Reader(network, len(tokens)), [], []
    ends = range(prompt, len(tokens) + 1)
    for first, last in zip((0, *ends), ends, strict=False):
        with record_attention(network) as record:
            logits.append(reader.read(tokens[first:last]))
        steps.append(_step(record, first, last, reader.bytes))
        progress(last, len(tokens))
    full_logits = full_pass(network, tokens)
    difference = (torch.cat(logits) - full_logits).abs().max()
    return SteppedReading(tuple(steps), float(difference), float(full_logits.abs().max()))


@torch.inference_mode()
def full_pass(network: nn.Module, tokens: Sequence[int]) -> torch.Tensor:
    """The logits (token, vocabulary) of one pass without a cache."""
    output = network(torch.tensor([list(tokens)]))
    return (output if isinstance(output, torch.Tensor) else output.logits)[0]


def rows_with_cache(step: Step, tokens: int) -> np.ndarray:
    """The state of each token's row of q, k and v in each layer, shape (layer x 3, token)."""
    grid = np.full((3 * len(step.queries), tokens), NOT_NEEDED)
    for layer, keys in enumerate(step.keys):
        grid[3 * layer + 1 : 3 * layer + 3, step.last - keys : step.first] = CACHED
        grid[3 * layer : 3 * layer + 3, step.last - step.queries[layer] : step.last] = COMPUTED
    return grid


def rows_without_cache(step: Step, tokens: int) -> np.ndarray:
    """The same for a step without a cache: all rows up to the newest token are computed."""
    grid = np.full((3 * len(step.queries), tokens), NOT_NEEDED)
    grid[:, : step.last] = COMPUTED
    return grid


def _step(record: Record, first: int, last: int, size: int) -> Step:
    calls = record.calls
    return Step(first, last, tuple(call.query_length for call in calls), tuple(call.key_length for call in calls), size)
