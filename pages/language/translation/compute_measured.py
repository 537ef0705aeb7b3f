"""What was measured of the three translators after their training: read in a moment, so nothing is kept."""

import pandas as pd

from core.results import translator_results
from core.results.translator_results import FOLDER, PAIRS_FOLDER, Alignment, Results


def results() -> Results:
    """Quality and cost of each model."""
    return translator_results.results(FOLDER)


def lengths() -> pd.DataFrame:
    """One row for each model and group of texts by their words."""
    return pd.DataFrame(list(translator_results.lengths(FOLDER)))


def alignment() -> Alignment:
    """How well links taken from the maps agree with those made by people."""
    return translator_results.alignment(FOLDER, PAIRS_FOLDER)


def heads() -> pd.DataFrame:
    """A row for each text, model, map, shift and direction; layer and head are words, or "mean"."""
    return pd.DataFrame(list(translator_results.heads(FOLDER)))
