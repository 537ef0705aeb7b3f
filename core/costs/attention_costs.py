"""What exact and efficient attention cost here, from 128 tokens on; how fast it grows, and where the curves cross."""

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

EACH = 64  # channels of the one head that is measured
TOKENS = tuple(2**power for power in range(7, 15))  # 128 to 16,384
GROWING = 1024  # from here on exponents are fitted: below it, what is paid once still counts

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
    """Every variant of VARIANTS on random queries, keys and values of one head, see `core.costs.one_pass.measure`."""
    generator = torch.Generator().manual_seed(0)
    inputs = {length: torch.randn(3, 1, 1, length, EACH, generator=generator) for length in tokens}

    def subject(variant: Variant):
        def prepared(length: int) -> Pass:
            query, key, value = inputs[length]
            return lambda: variant.output(query, key, value)

        return prepared

    subjects = {name: subject(variant) for name, variant in VARIANTS.items()}
    return measure(subjects, progress, tokens=tokens, repeats=repeats, patience=patience)


def exponent(tokens: Sequence[int], values: Sequence[float], *, least: int = GROWING) -> float:
    """The slope of log(value) over log(tokens) by least squares, from `least` tokens on: 1 is linear, 2 quadratic.

    ValueError for fewer than two lengths there.
    """
    chosen = [(n, value) for n, value in zip(tokens, values, strict=True) if n >= least]
    if len(chosen) < 2:
        raise ValueError(f"A slope needs two lengths of at least {least} tokens, and here are {len(chosen)}.")
    lengths, costs = np.log(np.array(chosen)).T
    return float(stats.linregress(lengths, costs).slope)


def crossing(tokens: Sequence[int], one: Sequence[float], other: Sequence[float]) -> float | None:
    """The number of tokens from which on `one` stays below `other`; None if it is not below at the longest length.

    Between measured lengths both are straight lines in the logarithms; the shortest length if `one` always is below.
    """
    gaps = [math.log(a / b) for a, b in zip(one, other, strict=True)]
    if gaps[-1] >= 0:
        return None
    above = [place for place, gap in enumerate(gaps) if gap >= 0]
    if not above:
        return float(tokens[0])
    last = above[-1]
    share = gaps[last] / (gaps[last] - gaps[last + 1])
    return float(tokens[last] * (tokens[last + 1] / tokens[last]) ** share)
