"""Results of the classifiers of reviews and of their baselines on held-out texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from ..published.table import PositiveInt, Proportion
from ..zoo.sentiment_classifiers import FOLDER
from .result_files import object_of, read_json

COMMAND = "python -m training.sentiment.report --data PATH"
LOGISTIC, MACHINE = "tfidf-logistic", "tfidf-svm"
BASELINES = {LOGISTIC: "TF-IDF and logistic regression", MACHINE: "TF-IDF and a support vector machine"}
LANGUAGES = ("english", "spanish")


@dataclass(frozen=True)
class ReviewerQuality:
    """Accuracy and F1 on the test texts, and cost of the training; None and "" for a baseline without epochs."""

    accuracy: Proportion
    macro_f1: Proportion
    parameters: PositiveInt
    epochs: PositiveInt | None = None
    seconds_per_epoch: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    hardware: str = ""


@dataclass(frozen=True)
class Results:
    """One language: each network and baseline, and the numbers of texts of training and test."""

    models: Mapping[str, ReviewerQuality]
    learnt: int
    test: int


@dataclass(frozen=True)
class _Sizes:
    learnt: PositiveInt
    test: PositiveInt


_RESULTS = object_of(
    {"sizes": object_of(dict.fromkeys(LANGUAGES, _Sizes))} | dict.fromkeys(LANGUAGES, dict[str, ReviewerQuality])
)


def results(folder: Path = FOLDER) -> dict[str, Results]:
    """results.json, by language; ModelError where it is missing or makes no sense."""
    measured = read_json(folder / "results.json", _RESULTS, made_by=COMMAND)
    sizes: dict[str, _Sizes] = measured["sizes"]
    return {name: Results(measured[name], sizes[name].learnt, sizes[name].test) for name in LANGUAGES}
