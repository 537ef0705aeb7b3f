"""How the error of an approximation falls while its work grows: one setting of a variant from cheap to dear."""

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

DEAREST_LONG = 0.25  # of the exact kernel's work: dearer settings of longer texts are left out of a curve

# What makes a variant dearer and better.
SETTING: dict[type[Variant], str] = {
    SlidingWindow: "window",
    BigBird: "window",
    Linformer: "rank",
    Performer: "features",
    Clustered: "clusters",
    LowRank: "rank",
}

MOST: dict[type[Variant], int] = {Performer: 2048, Clustered: 64}  # in a curve: more takes long and gains little


@dataclass(frozen=True, eq=False)
class Point:
    """One setting of a variant: its cost as a share of the exact kernel's, and the relative error of its output."""

    setting: int
    cost: float
    error: float


@torch.inference_mode()
def error_against_cost(
    variant: Variant, head: Head, progress: Progress | None = None, *, dearest: float = math.inf
) -> tuple[Point, ...]:
    """The same variant from its cheapest setting to the dearest, all other settings as they are.

    Settings that take more than `dearest` times the exact kernel's work are left out, unless all do.
    """
    each = head.query.shape[-1]
    of_exact = Fused(causal=head.causal).multiplications(head.tokens, each)
    if isinstance(variant, LowRank) and variant.factors is None:
        variant = replace(variant, factors=factors(*head.parts[:2], causal=head.causal))
    changed = {setting: with_setting(variant, setting) for setting in settings_of(variant, head.tokens)}
    works = {setting: one.multiplications(head.tokens, each) / of_exact for setting, one in changed.items()}
    dearest = min(dearest, DEAREST_LONG) if head.tokens > approximation_error.WHOLE else dearest
    cheapest = min(works.values())
    works = {setting: work for setting, work in works.items() if work <= max(dearest, cheapest)}
    exact, points = _output(Fused(causal=head.causal), head), []
    for done, (setting, work) in enumerate(works.items()):
        error = (_output(changed[setting], head) - exact).norm() / exact.norm()
        points.append(Point(setting, work, float(error)))
        if progress:
            progress(done + 1, len(works))
    return tuple(points)


def _output(variant: Variant, head: Head) -> Float[Tensor, "query each_value"]:
    """What the head hands on, at the rows that are compared."""
    if head.tokens <= approximation_error.WHOLE:
        return variant.output(*head.parts)[0, 0]
    chunks = compared_rows(head.tokens).split(max(1, approximation_error.TILE // head.tokens))
    return torch.cat([variant.weights(head.query, head.key, chunk) @ head.value for chunk in chunks])


def with_setting(variant: Variant, setting: int) -> Variant:
    """The same variant, cheaper or dearer."""
    changed: dict[str, Any] = {SETTING[type(variant)]: setting}
    return replace(variant, **changed)


def settings_of(variant: Variant, tokens: int) -> tuple[int, ...]:
    """Powers of two from the least that the setting may be to where nothing is left out any more."""
    most = MOST.get(type(variant), tokens)
    if isinstance(variant, BigBird):
        most = -(-tokens // variant.block) * (1 if variant.causal else 2)
    least = 1 if isinstance(variant, BigBird) else min(8, most)
    steps = [least]
    while steps[-1] * 2 < most:
        steps.append(steps[-1] * 2)
    return (*steps, most) if most > steps[-1] else tuple(steps)
