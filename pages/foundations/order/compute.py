"""What was measured of the six small models of weights/positions, and what one of them has learned."""

import pandas as pd

from core.order.learned_positions import BucketBias
from core.results import position_results
from core.results.position_results import FOLDER, WAYS
from dashboard.cache.memo import cached

__all__ = ["FOLDER", "WAYS", "lengths", "our_biases", "trained_length"]


@cached(computes=False)
def our_biases() -> tuple[BucketBias, ...]:
    """What the model with relative biases has learned, a table for each layer."""
    return position_results.learned_biases(FOLDER)


@cached(computes=False)
def lengths() -> pd.DataFrame:
    """Mean bits for the next character (`bits`) after `length` characters, for each way of `positions`."""
    return pd.DataFrame(list(position_results.lengths(FOLDER)))


@cached(computes=False)
def trained_length() -> int:
    """How many characters each of the six models was trained on at once."""
    return position_results.trained_length(FOLDER)
