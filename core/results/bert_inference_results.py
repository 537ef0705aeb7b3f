"""Results of the BERT fine-tuned for inference: accuracy by the languages of the two sentences, beside baselines."""

from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired

from ..probing.fine_tuning.inference import COMBINATIONS, NAME, TRAINED
from ..published.table import PositiveInt, Proportion
from ..zoo.embedded import WEIGHTS
from .result_files import error_of, object_of, read_json

FOLDER = WEIGHTS / NAME
BILINGUAL, ENGLISH = "bert-pairs", "bert-books"  # the bodies that were fine-tuned; the second has read English only

_BY_COMBINATION = object_of(dict.fromkeys(COMBINATIONS, Proportion))


@dataclass(frozen=True)
class _Variant:
    test: _BY_COMBINATION  # type: ignore[valid-type]


@dataclass(frozen=True)
class _File:
    variants: object_of({BILINGUAL: _Variant, ENGLISH: NotRequired[_Variant]})  # type: ignore[valid-type]
    logistic: _BY_COMBINATION  # type: ignore[valid-type]
    majority: Proportion
    pairs: PositiveInt
    learned_pairs: PositiveInt


@dataclass(frozen=True)
class Results:
    """Accuracy on `pairs` test pairs, by the names of COMBINATIONS.

    `bilingual`: of the fine-tuned `bert-pairs`. `english`: of the same network fine-tuned from the weights with which
    the training of `bert-pairs` began; None where it was not trained. `logistic`: of logistic regression on shared
    words and negations. `majority`: the share of the most frequent relation.
    """

    bilingual: dict[str, float]
    english: dict[str, float] | None
    logistic: dict[str, float]
    majority: float
    pairs: int
    learned_pairs: int

    def error(self, accuracy: float) -> float:
        """The standard error of an accuracy."""
        return error_of(accuracy, self.pairs)


def results(folder: Path = FOLDER) -> Results:
    """results.json; ModelError where it is missing or makes no sense."""
    measured = read_json(folder / "results.json", _File, made_by=TRAINED)
    return Results(
        bilingual=measured.variants[BILINGUAL].test,
        english=measured.variants[ENGLISH].test if ENGLISH in measured.variants else None,
        logistic=measured.logistic,
        majority=measured.majority,
        pairs=measured.pairs,
        learned_pairs=measured.learned_pairs,
    )
