"""What is computed anew and what is kept when a text is read with a cache: watched, step by step."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from ..capture import Record, record_attention
from ..progress import Progress, no_progress
from .reader import Reader

NOT_NEEDED, KEPT, COMPUTED = range(3)  # what becomes of a row of q, k or v in a step
ROWS = ("q", "k", "v")


@dataclass(frozen=True)
class Step:
    """The tokens from `first` up to, not including, `last` are read at once."""

    first: int
    last: int
    queries: tuple[int, ...]  # of each layer: rows of q that its attention was called with
    keys: tuple[int, ...]  # of each layer: rows of k, and of v, both the new and the kept ones
    bytes: int  # of keys and values that are kept afterwards

    def computed(self) -> int:
        """Rows of q, k and v that all layers made in this step."""
        return sum(3 * queries for queries in self.queries)

    def kept(self) -> int:
        """Rows of k and v that all layers took from the cache."""
        return sum(2 * (keys - queries) for queries, keys in zip(self.queries, self.keys, strict=True))


@dataclass(frozen=True)
class Stepped:
    """A text that was read twice: in portions with a cache, and in one full pass."""

    steps: tuple[Step, ...]
    difference: float  # the largest between the two readings' logits
    largest: float  # logit of the full pass, whatever its sign

    def step_of(self, token: int) -> Step:
        """The step in which a token is read."""
        return next(step for step in self.steps if token < step.last)


def read_in_steps(
    network: nn.Module, tokens: Sequence[int], *, prompt: int, progress: Progress = no_progress
) -> Stepped:
    """Read the first `prompt` tokens at once and the others one after the other, under the recorder's eyes."""
    reader, steps, logits = Reader(network, len(tokens)), [], []
    ends = range(prompt, len(tokens) + 1)
    for first, last in zip((0, *ends), ends, strict=False):
        with record_attention(network) as record:
            logits.append(reader.read(tokens[first:last]))
        steps.append(_step(record, first, last, reader.bytes))
        progress(last, len(tokens))
    whole = full_pass(network, tokens)
    difference = (torch.cat(logits) - whole).abs().max()
    return Stepped(tuple(steps), float(difference), float(whole.abs().max()))


@torch.inference_mode()
def full_pass(network: nn.Module, tokens: Sequence[int]) -> torch.Tensor:
    """The logits (token, vocabulary) of a network that keeps nothing."""
    output = network(torch.tensor([list(tokens)]))
    return (output if isinstance(output, torch.Tensor) else output.logits)[0]


def rows_with_cache(step: Step, tokens: int) -> np.ndarray:
    """(layer x 3, token): for q, k and v of each layer what becomes of each token's row."""
    grid = np.full((3 * len(step.queries), tokens), NOT_NEEDED)
    for layer, keys in enumerate(step.keys):
        grid[3 * layer + 1 : 3 * layer + 3, step.last - keys : step.first] = KEPT
        grid[3 * layer : 3 * layer + 3, step.last - step.queries[layer] : step.last] = COMPUTED
    return grid


def rows_without(step: Step, tokens: int) -> np.ndarray:
    """The same of a full pass over all tokens up to the newest: everything is computed."""
    grid = np.full((3 * len(step.queries), tokens), NOT_NEEDED)
    grid[:, : step.last] = COMPUTED
    return grid


def _step(record: Record, first: int, last: int, size: int) -> Step:
    calls = record.calls
    return Step(first, last, tuple(call.query_length for call in calls), tuple(call.key_length for call in calls), size)
