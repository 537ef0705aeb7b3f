"""The Pareto front of two quantities."""

import numpy as np
from jaxtyping import Bool, Float


def pareto_front(
    x: Float[np.ndarray, "point"], y: Float[np.ndarray, "point"], *, more_x: bool, more_y: bool
) -> Bool[np.ndarray, "point"]:
    """Whether no other point is at least as good in both quantities and better in one.

    `more_x` and `more_y` say whether more of a quantity is better, or less. Points that are equal in both stand or fall
    together. Sorted once: O(n log n).
    """
    cost = -x if more_x else x
    gain = y if more_y else -y
    front = np.zeros(len(cost), dtype=bool)
    best, at = -np.inf, np.nan  # the best gain so far, and what it cost
    for point in np.lexsort((-gain, cost)):
        if gain[point] > best or (gain[point] == best and cost[point] == at):
            front[point] = True
            best, at = gain[point], cost[point]
    return front
