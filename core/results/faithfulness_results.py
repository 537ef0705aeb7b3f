"""Faithfulness of the explanations of the classifiers of reviews (sentiment_faithful.csv), and their rank agreement.

The agreement is in sentiment_agreement.csv. training/sentiment/faithfulness.py writes both, over held-out reviews.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from ..published.table import PositiveInt, Proportion, Text, one_of
from .result_files import naming, read_rows

FOLDER = Path(__file__).parent
AREAS, AGREEMENT = FOLDER / "sentiment_faithful.csv", FOLDER / "sentiment_agreement.csv"
MADE_BY = "python -m training.sentiment.faithfulness --data PATH"
RANDOM = "random"  # orders drawn at random, beside the explanations

# What is measured of an explanation, and whether more of it is better.
MEASURES = {"deletion": False, "insertion": True, "comprehensiveness": True, "sufficiency": False}
LIKENESS = ("tau", "shared")
RANKED = ("verdict", "strength")  # words by what they say for the verdict, or by how much they weigh either way


@dataclass(frozen=True)
class Mean:
    """A mean over reviews with its bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Measured:
    """One measure of one explanation of a model.

    `gain`: its mean advantage over random orders of the same review; `better`: the share of reviews in which it is
    better than them. Both are None for the random orders themselves.
    """

    value: Mean
    gain: Mean | None
    better: float | None


@dataclass(frozen=True)
class Faithful:
    """The measures of a model: by explanation (RANDOM among them) and measure."""

    model: str
    by_method: Mapping[str, Mapping[str, Measured]]
    reviews: int

    @property
    def methods(self) -> tuple[str, ...]:
        """The explanations, without the random orders."""
        return tuple(name for name in self.by_method if name != RANDOM)


@dataclass(frozen=True)
class RankAgreement:
    """Rank agreement of two explanations of a model: mean over the reviews in which both rank at least one word."""

    one: str
    other: str
    measure: str  # one of LIKENESS
    ranked: str  # one of RANKED
    value: Mean


_Value = Annotated[float, Meta(ge=-1, le=1)]
_Gain = Annotated[float, Meta(ge=-2, le=2)]


@dataclass(frozen=True)
class _Area:
    model: Text
    method: Text
    measure: Annotated[str, one_of(tuple(MEASURES))]
    mean: _Value
    low: _Value
    high: _Value
    gain: _Gain | None
    gain_low: _Gain | None
    gain_high: _Gain | None
    better: Proportion | None
    reviews: PositiveInt
    source: Text

    def __post_init__(self):
        gains = (self.gain, self.gain_low, self.gain_high, self.better)
        if any((gain is None) != (self.method == RANDOM) for gain in gains):
            raise ValueError("every explanation, and no random order, is compared with chance")

    @property
    def measured(self) -> Measured:
        value = Mean(self.mean, self.low, self.high)
        if self.gain is None or self.gain_low is None or self.gain_high is None:
            return Measured(value, None, None)
        return Measured(value, Mean(self.gain, self.gain_low, self.gain_high), self.better)


@dataclass(frozen=True)
class _Agreement:
    model: Text
    one: Text
    other: Text
    measure: Annotated[str, one_of(LIKENESS)]
    ranked: Annotated[str, one_of(RANKED)]
    mean: _Value
    low: _Value
    high: _Value
    reviews: PositiveInt
    source: Text


def faithfulness(file: Path = AREAS) -> dict[str, Faithful]:
    """The measures of each model; ModelError where the file or a row is missing, or a row is wrong."""
    rows = read_rows(file, _Area, unique=("model", "method", "measure"), made_by=MADE_BY)
    by_model: dict[str, dict[str, dict[str, Measured]]] = {}
    for row in rows:
        by_model.setdefault(row.model, {}).setdefault(row.method, {})[row.measure] = row.measured
    reviews = {row.model: row.reviews for row in rows}
    with naming(file, MADE_BY):
        for model, methods in by_model.items():
            if RANDOM not in methods or any(set(measures) != set(MEASURES) for measures in methods.values()):
                raise ValueError(f"a measure of '{model}', or its random orders, are missing")
    return {model: Faithful(model, methods, reviews[model]) for model, methods in by_model.items()}


def agreements(file: Path = AGREEMENT) -> dict[str, tuple[RankAgreement, ...]]:
    """The rank agreement of each model's explanations; ModelError where the file is missing or a row is wrong."""
    by_model: dict[str, list[RankAgreement]] = {}
    unique = ("model", "one", "other", "measure", "ranked")
    for row in read_rows(file, _Agreement, unique=unique, made_by=MADE_BY):
        value = Mean(row.mean, row.low, row.high)
        by_model.setdefault(row.model, []).append(RankAgreement(row.one, row.other, row.measure, row.ranked, value))
    return {model: tuple(rows) for model, rows in by_model.items()}
