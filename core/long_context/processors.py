"""Work for all processors, where each of torch's operations takes some of them."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def processors() -> int:
    """The threads that may compute side by side where each of torch's operations takes `torch.get_num_threads()`."""
    return max(1, (os.cpu_count() or 1) // torch.get_num_threads())


def side_by_side(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results of a function for each item, in their order, without gradients, computed by all processors."""

    @torch.inference_mode()
    def compute(item: Item) -> Result:
        return function(item)

    if processors() == 1:
        return [compute(item) for item in items]
    with ThreadPoolExecutor(processors()) as threads:
        return list(threads.map(compute, items))
