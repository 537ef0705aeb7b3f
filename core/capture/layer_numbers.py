"""The number of the layer of a recorded call, in models of which some layers have no attention to record."""

from collections.abc import Sequence
from itertools import pairwise

from .call import AttentionCall


def layer_numbers(calls: Sequence[AttentionCall]) -> tuple[int, ...]:
    """The model's own number of the layer of each call: the whole number in its module path.

    In a hybrid (Jamba, Qwen3-Next) layers with and without attention take turns, so calls 0, 1, 2 may come from layers
    3, 7, 11. Where paths have no such number or several (stages of blocks), or it does not rise from call to call
    (an encoder-decoder, a layer that runs more than once), calls are counted from 0.
    """
    numbers = [number for call in calls if (number := _number(call.path)) is not None]
    rises = all(before < after for before, after in pairwise(numbers))
    return tuple(numbers) if rises and len(numbers) == len(calls) else tuple(range(len(calls)))


def by_layer(calls: Sequence[AttentionCall]) -> dict[int, AttentionCall]:
    """The calls by their layer numbers; see `layer_numbers`."""
    return dict(zip(layer_numbers(calls), calls, strict=True))


def _number(path: str) -> int | None:
    numbers = [int(part) for part in path.split(".") if part.isascii() and part.isdecimal()]
    return numbers[0] if len(numbers) == 1 else None
