"""Time and memory of the next token on this machine, with and without a cache, by text length."""

from dataclasses import dataclass, replace

import torch
from torch import nn

from ..costs.one_pass import PATIENCE, REPEATS, Cost, Pass, measure
from ..errors import InputError
from ..progress import Progress
from .reader import Reader
from .stepping import full_pass

WITH_CACHE, WITHOUT_CACHE = "With a cache", "Without a cache"
FEWEST, MOST = 16, 1024  # tokens; longer passes without a cache take too long


@dataclass(frozen=True)
class StepCosts:
    """Time and memory of the step that reads the n-th token, for every length n."""

    costs: tuple[Cost, ...]  # bytes: the peak memory of the step, including the cache
    cache_bytes: dict[int, int]  # by length: bytes of the cache alone

    def of(self, name: str) -> dict[int, Cost]:
        """The costs of one of WITH_CACHE and WITHOUT_CACHE, by length."""
        return {cost.tokens: cost for cost in self.costs if cost.name == name}


def lengths_within(context: int) -> tuple[int, ...]:
    """Powers of two from FEWEST to MOST within the context of a model. Raises InputError if there are none."""
    if context < FEWEST:
        raise InputError(f"A curve needs at least {FEWEST} tokens at once, and this model reads {context}.")
    return tuple(length for power in range(4, 11) if FEWEST <= (length := 2**power) <= min(context, MOST))


def measure_steps(
    network: nn.Module, progress: Progress, *, context: int, repeats: int = REPEATS, patience: float = PATIENCE
) -> StepCosts:
    """Measure the step of one token after n - 1 others, with and without a cache; see `core.costs.one_pass.measure`.

    With a cache each pass reads one more token, so that the last pass reads the n-th; the cost does not depend on which
    token it is. Without a cache the forward pass over all n tokens is run.
    """
    generator, readers = torch.Generator().manual_seed(0), dict[int, Reader]()
    lengths = lengths_within(context)
    numbers = torch.randint(1, _vocabulary(network), (max(lengths),), generator=generator).tolist()

    def with_cache(length: int) -> Pass:
        readers[length] = reader = Reader(network, length)
        if before := max(0, length - 1 - repeats):
            reader.read(numbers[:before])
        return lambda: reader.read(numbers[reader.length : reader.length + 1])

    def without_cache(length: int) -> Pass:
        return lambda: full_pass(network, numbers[:length])

    subjects = {WITH_CACHE: with_cache, WITHOUT_CACHE: without_cache}
    costs = measure(subjects, progress, tokens=lengths, repeats=repeats, patience=patience)
    for length, reader in readers.items():
        if reader.length < length:  # patience ended before all repeats
            reader.read(numbers[reader.length : length])
    cache_bytes = {length: reader.bytes for length, reader in readers.items()}
    complete = (
        replace(cost, bytes=cost.bytes + cache_bytes[cost.tokens]) if cost.name == WITH_CACHE else cost
        for cost in costs
    )
    return StepCosts(tuple(complete), cache_bytes)


def _vocabulary(network: nn.Module) -> int:
    """The number of tokens of the first embedding table."""
    return next(module.num_embeddings for module in network.modules() if isinstance(module, nn.Embedding))
