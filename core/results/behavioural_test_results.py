"""Failures of each classifier of reviews in the behavioural tests of training.sentiment.behavioural_tests."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

from ..published.table import NonNegativeInt, PositiveInt, Proportion, Text, one_of
from ..sentiment.behavioural_tests import KINDS, BehaviouralTestResult
from ..sentiment.templates import WORDS
from .result_files import read_rows
from .tables import FOLDER

FILE = FOLDER / "sentiment_fooled.csv"
COMMAND = "python -m training.sentiment.behavioural_tests --data PATH"


@dataclass(frozen=True)
class _Row:
    language: Annotated[str, one_of(tuple(WORDS))]
    model: Text
    kind: Annotated[str, one_of(tuple(KINDS))]
    test: Text
    should: Literal["change", "stay", "stronger", "weaker"]
    pairs: PositiveInt
    failed: NonNegativeInt
    right: NonNegativeInt
    unread: Proportion
    source: Text


COLUMNS = tuple(field.name for field in fields(_Row))


def failures_by_model(file: Path = FILE) -> dict[str, dict[str, tuple[BehaviouralTestResult, ...]]]:
    """The counts of each test by language and model, in the order of the table.

    ModelError where the file is missing or a row is wrong.
    """
    languages: dict[str, dict[str, tuple[BehaviouralTestResult, ...]]] = {}
    for row in read_rows(file, _Row, unique=("model", "language", "test", "kind"), made_by=COMMAND):
        counted = BehaviouralTestResult(row.kind, row.test, row.should, row.pairs, row.failed, row.right, row.unread)
        models = languages.setdefault(row.language, {})
        models[row.model] = (*models.get(row.model, ()), counted)
    return languages
