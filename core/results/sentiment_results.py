"""The classifiers of reviews and their baselines: what each is worth on what was held out."""

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
class Worth:
    """Shares of the test texts that are right, and what it took; None and "" of a baseline that has no epochs."""

    accuracy: Proportion
    macro_f1: Proportion
    parameters: PositiveInt
    epochs: PositiveInt | None = None
    seconds_per_epoch: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    hardware: str = ""


@dataclass(frozen=True)
class Results:
    """Of one language: each network and baseline, and how many texts they learned from and were tried on."""

    models: Mapping[str, Worth]
    learnt: int
    test: int


@dataclass(frozen=True)
class _Sizes:
    learnt: PositiveInt
    test: PositiveInt


_RESULTS = object_of(
    {"sizes": object_of(dict.fromkeys(LANGUAGES, _Sizes))} | dict.fromkeys(LANGUAGES, dict[str, Worth])
)


def results(folder: Path = FOLDER) -> dict[str, Results]:
    """results.json, by language; ModelError where it is missing or makes no sense."""
    measured = read_json(folder / "results.json", _RESULTS, made_by=COMMAND)
    sizes: dict[str, _Sizes] = measured["sizes"]
    return {name: Results(measured[name], sizes[name].learnt, sizes[name].test) for name in LANGUAGES}
