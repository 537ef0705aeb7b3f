"""The error of an approximation against its cost, for a range of one setting of a variant."""

import math
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from ..progress import Progress
from . import (
    BigBird,
    Clustered,
    Fused,
    Linformer,
    LowRank,
    Performer,
    SlidingWindow,
    Variant,
    approximation_error,
    factors,
)
from .approximation_error import Head, compared_rows

MAX_COST_LONG = 0.25  # as a share of the exact kernel's work, for texts of more than MAX_FULL_ROWS tokens

# The setting that trades cost for accuracy.
SETTING: dict[type[Variant], str] = {
    SlidingWindow: "window",
    BigBird: "window",
    Linformer: "rank",
    Performer: "features",
    Clustered: "clusters",
    LowRank: "rank",
}

MAX_SETTING: dict[type[Variant], int] = {Performer: 2048, Clustered: 64}  # larger settings take long and gain little


@dataclass(frozen=True, eq=False)
class Point:
    """One setting of a variant: its cost as a share of the exact kernel's, and the relative error of its output."""

    setting: int
    cost: float
    error: float


@torch.inference_mode()
def error_against_cost(
    variant: Variant, head: Head, progress: Progress | None = None, *, max_cost: float = math.inf
) -> tuple[Point, ...]:
    """Cost and error of a variant for each value of its setting, the cheapest first.

    Settings that take more than `max_cost` times the exact kernel's work are skipped, except the cheapest.
    """
    head_dim = head.query.shape[-1]
    exact_multiplications = Fused(causal=head.causal).multiplications(head.tokens, head_dim)
    if isinstance(variant, LowRank) and variant.factors is None:
        variant = replace(variant, factors=factors(*head.parts[:2], causal=head.causal))
    variants = {setting: with_setting(variant, setting) for setting in settings_of(variant, head.tokens)}
    costs = {
        setting: changed.multiplications(head.tokens, head_dim) / exact_multiplications
        for setting, changed in variants.items()
    }
    max_cost = min(max_cost, MAX_COST_LONG) if head.tokens > approximation_error.MAX_FULL_ROWS else max_cost
    cheapest = min(costs.values())
    costs = {setting: cost for setting, cost in costs.items() if cost <= max(max_cost, cheapest)}
    exact, points = _output(Fused(causal=head.causal), head), []
    for done, (setting, cost) in enumerate(costs.items()):
        error = (_output(variants[setting], head) - exact).norm() / exact.norm()
        points.append(Point(setting, cost, float(error)))
        if progress:
            progress(done + 1, len(costs))
    return tuple(points)


def _output(variant: Variant, head: Head) -> Float[Tensor, "query value_dim"]:
    """The output of the head at the rows that are compared."""
    if head.tokens <= approximation_error.MAX_FULL_ROWS:
        return variant.output(*head.parts)[0, 0]
    chunks = compared_rows(head.tokens).split(max(1, approximation_error.TILE // head.tokens))
    return torch.cat([variant.weights(head.query, head.key, chunk) @ head.value for chunk in chunks])


def with_setting(variant: Variant, setting: int) -> Variant:
    """The variant with another value of its setting (see SETTING)."""
    fields: dict[str, Any] = {SETTING[type(variant)]: setting}
    return replace(variant, **fields)


def settings_of(variant: Variant, tokens: int) -> tuple[int, ...]:
    """Powers of two from the smallest value of the setting to the one at which the variant is exact."""
    largest = MAX_SETTING.get(type(variant), tokens)
    if isinstance(variant, BigBird):
        largest = -(-tokens // variant.block) * (1 if variant.causal else 2)
    smallest = 1 if isinstance(variant, BigBird) else min(8, largest)
    steps = [smallest]
    while steps[-1] * 2 < largest:
        steps.append(steps[-1] * 2)
    return (*steps, largest) if largest > steps[-1] else tuple(steps)
