"""Results of the fine-tuned BERT: accuracy of tags and sentiment, beside baselines and other ways of training."""

from dataclasses import dataclass
from pathlib import Path

from ..probing.fine_tuning.task_predictions import NAME, TRAINED
from ..published.table import PositiveInt, Proportion
from ..zoo.embedded import WEIGHTS
from .result_files import read_json

FOLDER = WEIGHTS / NAME
TUNED, FROZEN, SCRATCH = "tuned", "frozen", "scratch"


@dataclass(frozen=True)
class Variant:
    """Accuracy of tags, of sentiment, of sentiment where texts begin with a capital letter, and of each tag."""

    tags: Proportion
    verdicts: Proportion
    verdicts_capital: Proportion
    by_tag: dict[str, Proportion]


@dataclass(frozen=True)
class _Variants:
    tuned: Variant
    frozen: Variant | None = None
    scratch: Variant | None = None


@dataclass(frozen=True)
class _FrequentTag:
    tags: Proportion
    by_tag: dict[str, Proportion]
    cases: dict[str, PositiveInt]


@dataclass(frozen=True)
class _File:
    variants: _Variants
    most_frequent_tag: _FrequentTag
    majority: Proportion
    naive_bayes: Proportion
    words: PositiveInt
    sentences: PositiveInt
    learned_words: PositiveInt
    learned_phrases: PositiveInt


@dataclass(frozen=True)
class Results:
    """Accuracy of each variant that was trained, and of the baselines.

    `frequent_by_tag`: accuracy of the most frequent tag of each word, by tag; `cases`: words of each tag in the test
    sentences.
    """

    variants: dict[str, Variant]
    most_frequent_tag: float
    frequent_by_tag: dict[str, float]
    cases: dict[str, int]
    majority: float
    naive_bayes: float
    words: int
    sentences: int
    learned_words: int
    learned_phrases: int


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    measured = read_json(folder / "results.json", _File, made_by=TRAINED)
    frequent = measured.most_frequent_tag
    variants = {name: getattr(measured.variants, name) for name in (TUNED, FROZEN, SCRATCH)}
    return Results(
        variants={name: variant for name, variant in variants.items() if variant},
        most_frequent_tag=frequent.tags,
        frequent_by_tag=frequent.by_tag,
        cases=frequent.cases,
        majority=measured.majority,
        naive_bayes=measured.naive_bayes,
        words=measured.words,
        sentences=measured.sentences,
        learned_words=measured.learned_words,
        learned_phrases=measured.learned_phrases,
    )
