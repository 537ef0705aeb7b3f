"""What was measured of the image classifiers after their training: read in a moment, so nothing is kept."""

from core.measured import classifier_results
from core.measured.classifier_results import RANDOM, SIDES, WEIGHTS, Area, Faithful, Quality

__all__ = ["RANDOM", "SIDES", "Area", "Faithful", "Quality", "faithfulness", "qualities"]


def qualities() -> tuple[Quality, ...]:
    """How good each model is that has been measured, and what it costs, in the order of zoo.IMAGE."""
    return classifier_results.qualities(WEIGHTS)


def faithfulness() -> tuple[Faithful, ...]:
    """How faithful the explanations are of each model of which that has been measured."""
    return classifier_results.faithfulness(WEIGHTS)
