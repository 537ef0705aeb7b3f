"""Scaling laws fitted to published runs, kept for the next visitor who asks the same."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st

from core.published import chinchilla_runs, pythia_scores
from core.scaling import LAWS, Bootstrap, Chinchilla, Points, bootstrap
from dashboard.kept import computing

Collection = Literal["Chinchilla", "Pythia"]
OUTLIERS = 5  # of Chinchilla's runs: Besiroglu et al. 2024 leave them out
FIRST_STEP = 1000  # of Pythia: before it the models have hardly begun to learn, and no law holds
DRAWS = 60


@dataclass(frozen=True)
class Runs:
    """Published runs: the numbers, and for each its name and where it comes from."""

    points: Points
    names: tuple[str, ...]
    source: str

    def where(self, chosen: np.ndarray) -> "Runs":
        """The runs of a mask."""
        names = tuple(name for name, kept in zip(self.names, chosen, strict=True) if kept)
        return Runs(self.points.where(chosen), names, self.source)


@st.cache_data(max_entries=2)
def published_runs(collection: Collection) -> Runs:
    """All runs of a collection, by rising compute."""
    return _chinchilla() if collection == "Chinchilla" else _pythia()


@st.cache_data(max_entries=32)
def fitted(collection: Collection, law: str, outliers: int, most_flops: float, smallest: float) -> Bootstrap:
    """The law and its resamples, fitted to `chosen` runs."""
    runs = chosen(collection, outliers, smallest)
    with computing():
        return bootstrap(LAWS[law], runs.points.where(runs.points.flops <= most_flops), draws=DRAWS)


def law_of_chinchilla() -> tuple[Chinchilla, int]:
    """The law of Chinchilla fitted to all of its runs but the outliers, and how many runs those are."""
    law = fitted("Chinchilla", "Chinchilla", OUTLIERS, float("inf"), 0.0).best
    assert isinstance(law, Chinchilla)
    return law, len(chosen("Chinchilla", OUTLIERS, 0.0).points)


def chosen(collection: Collection, outliers: int, smallest: float) -> Runs:
    """All runs but the `outliers` with the highest losses and the models with fewer parameters than `smallest`."""
    runs = published_runs(collection)
    worst = np.argsort(-runs.points.loss, kind="stable")[:outliers]
    kept = runs.points.parameters >= smallest
    kept[worst] = False
    return runs.where(kept)


def _chinchilla() -> Runs:
    found = sorted(chinchilla_runs(), key=lambda run: run.training_flops)
    parameters = np.array([run.parameters for run in found])
    tokens = np.array([run.training_flops for run in found]) / 6 / parameters
    points = Points(parameters, tokens, np.array([run.loss for run in found]))
    return Runs(points, tuple(f"{run.parameters / 1e6:,.0f} M parameters" for run in found), found[0].source)


def _pythia() -> Runs:
    found = [
        score
        for score in pythia_scores()
        if score.perplexity is not None and score.step >= FIRST_STEP and not score.deduplicated
    ]
    found.sort(key=lambda score: score.without_embeddings * score.tokens)
    points = Points(
        np.array([float(score.without_embeddings) for score in found]),
        np.array([float(score.tokens) for score in found]),
        np.log([score.perplexity or np.nan for score in found]),
    )
    return Runs(points, tuple(f"{score.model}, step {score.step:,}" for score in found), found[0].source)
