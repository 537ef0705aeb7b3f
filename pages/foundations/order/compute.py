"""What was measured of the six small models of weights/positions, and what one of them has learned."""

import pandas as pd

from core.measured import position_results
from core.measured.position_results import FOLDER, WAYS
from core.order.learned_positions import BucketBias
from dashboard.kept import keep

__all__ = ["FOLDER", "WAYS", "lengths", "our_biases", "trained_length"]


@keep(computes=False)
def our_biases() -> tuple[BucketBias, ...]:
    """What the model with relative biases has learned, a table for each layer."""
    return position_results.learned_biases(FOLDER)


@keep(computes=False)
def lengths() -> pd.DataFrame:
    """Mean bits for the next character (`bits`) after `length` characters, for each way of `positions`."""
    return pd.DataFrame(list(position_results.lengths(FOLDER)))


@keep(computes=False)
def trained_length() -> int:
    """How many characters each of the six models was trained on at once."""
    return position_results.trained_length(FOLDER)
