"""Measured costs of exact and efficient attention by length, their growth, and where the curves cross."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from scipy import stats

from ..efficient import (
    BigBird,
    Clustered,
    Fused,
    Linformer,
    Performer,
    SlidingWindow,
    Variant,
    WrittenOut,
)
from ..progress import Progress
from .one_pass import PATIENCE, REPEATS, Cost, Pass, measure

HEAD_DIM = 64  # channels of the one head that is measured
TOKENS = tuple(2**power for power in range(7, 15))  # 128 to 16,384
FIT_FROM = 1024  # the least length for fits of exponents; below it constant costs matter

VARIANTS: Mapping[str, Variant] = {
    "Exact, written out": WrittenOut(),
    "Exact, fused": Fused(),
    "Sliding window": SlidingWindow(window=128),
    "BigBird": BigBird(block=64, window=3, random=2, global_tokens=64),
    "Linformer": Linformer(rank=128, block=128, causal=False),
    "Performer": Performer(features=128),
    "Clustered": Clustered(clusters=32),
}


def measure_attention(
    progress: Progress, *, tokens: Sequence[int] = TOKENS, repeats: int = REPEATS, patience: float = PATIENCE
) -> tuple[Cost, ...]:
    """Measure each of VARIANTS on random queries, keys and values of one head; see `core.costs.one_pass.measure`."""
    generator = torch.Generator().manual_seed(0)
    inputs = {length: torch.randn(3, 1, 1, length, HEAD_DIM, generator=generator) for length in tokens}

    def subject(variant: Variant):
        def prepare(length: int) -> Pass:
            query, key, value = inputs[length]
            return lambda: variant.output(query, key, value)

        return prepare

    subjects = {name: subject(variant) for name, variant in VARIANTS.items()}
    return measure(subjects, progress, tokens=tokens, repeats=repeats, patience=patience)


def exponent(tokens: Sequence[int], values: Sequence[float], *, least: int = FIT_FROM) -> float:
    """The slope of log(value) over log(tokens) by least squares, from `least` tokens on: 1 is linear, 2 quadratic.

    Raises ValueError for fewer than two such lengths.
    """
    points = [(n, value) for n, value in zip(tokens, values, strict=True) if n >= least]
    if len(points) < 2:
        raise ValueError(f"A slope needs two lengths of at least {least} tokens, and here are {len(points)}.")
    lengths, costs = np.log(np.array(points)).T
    return float(stats.linregress(lengths, costs).slope)


def crossing(tokens: Sequence[int], first: Sequence[float], second: Sequence[float]) -> float | None:
    """The number of tokens from which on `first` stays below `second`; None if it is not below at the longest length.

    Interpolated linearly in the logarithms; the shortest length if `first` is always below.
    """
    log_ratios = [math.log(a / b) for a, b in zip(first, second, strict=True)]
    if log_ratios[-1] >= 0:
        return None
    above = [place for place, log_ratio in enumerate(log_ratios) if log_ratio >= 0]
    if not above:
        return float(tokens[0])
    last = above[-1]
    share = log_ratios[last] / (log_ratios[last] - log_ratios[last + 1])
    return float(tokens[last] * (tokens[last + 1] / tokens[last]) ** share)
