"""Readers of the results that this project's own scripts have measured: tables, and results of each model.

    from . import small_data_runs, translator_results

    translator_results.results().models["transformer"]["bleu"]     # weights/translation/results.json
    small_data_runs()[0].accuracy_percent                          # core/results/small_data.csv

A missing or wrong value is a ModelError that names the file, what is wrong, and the command that writes the file.
"""

from .tables import (
    ATTENTION_COSTS,
    EFFICIENT_CHARACTERS,
    GRAMMAR_HEADS,
    HIDDEN,
    NEXT,
    SMALL_DATA,
    EfficientRun,
    MeasuredCosts,
    SmallDataRun,
    attention_costs,
    efficient_characters,
    grammar_heads,
    small_data_runs,
)

__all__ = [
    "ATTENTION_COSTS",
    "EFFICIENT_CHARACTERS",
    "GRAMMAR_HEADS",
    "HIDDEN",
    "NEXT",
    "SMALL_DATA",
    "EfficientRun",
    "MeasuredCosts",
    "SmallDataRun",
    "attention_costs",
    "efficient_characters",
    "grammar_heads",
    "small_data_runs",
]
