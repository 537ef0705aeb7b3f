"""The classifiers of reviews and their baselines: what each is worth on what was held out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..published.table import Number, Whole, Words
from ..zoo.reviewers import FOLDER
from .result_files import Field, Groups, read_json, share

COMMAND = "python -m training.sentiment_report --data PATH"
LOGISTIC, MACHINE = "tfidf-logistic", "tfidf-svm"
BASELINES = {LOGISTIC: "TF-IDF and logistic regression", MACHINE: "TF-IDF and a support vector machine"}
LANGUAGES = ("english", "spanish")

_ROW: tuple[Field, ...] = (
    *(share(name) for name in ("accuracy", "macro_f1")),
    Whole("epochs", required=False),
    Number("seconds_per_epoch", high=1e6),
    Whole("parameters"),
    Words("hardware", required=False),
)
_SIZES: tuple[Field, ...] = (Whole("learnt"), Whole("test"))
_RESULTS: tuple[Field, ...] = (
    Groups("sizes", _SIZES, LANGUAGES),
    *(Groups(language, _ROW) for language in LANGUAGES),
)


@dataclass(frozen=True)
class Worth:
    """Shares of the test texts that are right, and what it took; None and "" of a baseline that has no epochs."""

    accuracy: float
    macro_f1: float
    epochs: int | None
    seconds_per_epoch: float | None
    parameters: int
    hardware: str


@dataclass(frozen=True)
class Results:
    """Of one language: each network and baseline, and how many texts they learned from and were tried on."""

    models: Mapping[str, Worth]
    learnt: int
    test: int


def results(folder: Path = FOLDER) -> dict[str, Results]:
    """results.json, by language; ModelError where it is missing or makes no sense."""
    found = read_json(folder / "results.json", _RESULTS, made_by=COMMAND)
    return {
        language: Results({name: Worth(**of) for name, of in found[language].items()}, **found["sizes"][language])
        for language in LANGUAGES
    }
