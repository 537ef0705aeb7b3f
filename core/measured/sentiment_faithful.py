"""How faithful the explanations of the classifiers of reviews are, over held-out reviews: sentiment_faithful.csv.

How far explanations of one model agree stands in sentiment_agreement.csv. training/sentiment_faithful.py made both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..published.table import SOURCE, Column, Number, Whole, Words
from .result_files import naming, read_rows, share

FOLDER = Path(__file__).parent
AREAS, AGREEMENT = FOLDER / "sentiment_faithful.csv", FOLDER / "sentiment_agreement.csv"
MADE_BY = "python -m training.sentiment_faithful --data PATH"
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

    `gain`: by how much it is better than random orders of the same review, mean over reviews; `better`: in which share
    of the reviews it is. None for the random orders themselves.
    """

    value: Mean
    gain: Mean | None
    better: float | None


@dataclass(frozen=True)
class Faithful:
    """All that was measured of a model: by explanation (RANDOM among them) and measure."""

    model: str
    found: Mapping[str, Mapping[str, Measured]]
    reviews: int

    @property
    def methods(self) -> tuple[str, ...]:
        """The explanations, without the random orders."""
        return tuple(name for name in self.found if name != RANDOM)


@dataclass(frozen=True)
class Agreed:
    """How alike two explanations of a model rank words: mean over the reviews in which both rank any."""

    one: str
    other: str
    measure: str  # one of LIKENESS
    ranked: str  # one of RANKED
    value: Mean


_VALUES: tuple[Column, ...] = tuple(Number(name, -1.0, 1.0, required=True) for name in ("mean", "low", "high"))
_GAIN = tuple(f"gain{end}" for end in ("", "_low", "_high"))
_AREAS: tuple[Column, ...] = (
    Words("model"),
    Words("method"),
    Words("measure", among=tuple(MEASURES), kind="measures"),
    *_VALUES,
    *(Number(name, -2.0, 2.0) for name in _GAIN),
    share("better", required=False),
    Whole("reviews"),
    SOURCE,
)
_AGREEMENT: tuple[Column, ...] = (
    *(Words(name) for name in ("model", "one", "other")),
    Words("measure", among=LIKENESS, kind="measures"),
    Words("ranked", among=RANKED, kind="ways to rank"),
    *_VALUES,
    Whole("reviews"),
    SOURCE,
)


def faithfulness(file: Path = AREAS) -> dict[str, Faithful]:
    """What was measured of each model; ModelError where the file is missing, or a row is wrong or wanting."""
    rows = read_rows(file, _AREAS, unique=("model", "method", "measure"), made_by=MADE_BY)
    found: dict[str, dict[str, dict[str, Measured]]] = {}
    reviews: dict[str, int] = {}
    with naming(file, MADE_BY):
        for row in rows:
            of = row.cells
            if (of["method"] == RANDOM) == any(of[name] is not None for name in (*_GAIN, "better")):
                raise ValueError(f"{row.place}: every explanation, and no random order, is compared with chance.")
            gain = None if of["method"] == RANDOM else Mean(*(of[name] for name in _GAIN))
            measured = Measured(Mean(of["mean"], of["low"], of["high"]), gain, of["better"])
            found.setdefault(of["model"], {}).setdefault(of["method"], {})[of["measure"]] = measured
            reviews[of["model"]] = of["reviews"]
        for model, methods in found.items():
            if RANDOM not in methods or any(set(each) != set(MEASURES) for each in methods.values()):
                raise ValueError(f"a measure of '{model}', or its random orders, are missing")
    return {model: Faithful(model, methods, reviews[model]) for model, methods in found.items()}


def agreements(file: Path = AGREEMENT) -> dict[str, tuple[Agreed, ...]]:
    """How far the explanations of each model agree; ModelError where the file is missing or a row is wrong."""
    columns = ("model", "one", "other", "measure", "ranked")
    rows = [row.cells for row in read_rows(file, _AGREEMENT, unique=columns, made_by=MADE_BY)]
    return {
        model: tuple(
            Agreed(of["one"], of["other"], of["measure"], of["ranked"], Mean(of["mean"], of["low"], of["high"]))
            for of in rows
            if of["model"] == model
        )
        for model in dict.fromkeys(of["model"] for of in rows)
    }
