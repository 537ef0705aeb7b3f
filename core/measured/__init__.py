"""What was measured with this project's own scripts: every row names the command and the machine that made it."""

from core.measured.attention_costs import ATTENTION_COSTS, MeasuredCosts, attention_costs
from core.measured.efficient import EFFICIENT_CHARACTERS, HIDDEN, NEXT, EfficientRun, efficient_characters
from core.measured.small_data import SMALL_DATA, SmallDataRun, small_data_runs

__all__ = [
    "ATTENTION_COSTS",
    "EFFICIENT_CHARACTERS",
    "HIDDEN",
    "NEXT",
    "SMALL_DATA",
    "EfficientRun",
    "MeasuredCosts",
    "SmallDataRun",
    "attention_costs",
    "efficient_characters",
    "small_data_runs",
]
