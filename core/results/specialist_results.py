"""Networks for sentiment on the same held-out texts: small ones trained for it alone, and fine-tuned BERTs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from ..published.table import PositiveFloat, PositiveInt, Proportion, one_of
from ..sentiment.specialists import CONTESTANTS, FINE_TUNED
from .result_files import read_rows
from .shrinking_students import Difference
from .tables import FOLDER

FILE = FOLDER / "sentiment_specialists.csv"
COMMAND = "python -m training.sentiment.specialists --data PATH"
COLUMNS = (
    *("texts", "model", "parameters", "bytes", "milliseconds", "accuracy", "error", "questions"),
    *("lead", "lead_error"),
)


@dataclass(frozen=True)
class MeasuredClassifier:
    """A network on one set of held-out texts; `error` is the standard error of `accuracy`, over `questions` texts.

    `lead`: its accuracy over that of the BERT that was fine-tuned on the training part of this set; None of that one.
    `milliseconds`: one text, read alone on one thread. `bytes`: of the weights as float32.
    """

    name: str
    parameters: int
    bytes: int
    milliseconds: float
    accuracy: float
    error: float
    questions: int
    lead: Difference | None


_Difference = Annotated[float, Meta(ge=-1, le=1)]


@dataclass(frozen=True)
class _Row:
    texts: Annotated[str, one_of(tuple(FINE_TUNED))]
    model: Annotated[str, one_of(CONTESTANTS)]
    parameters: PositiveInt
    bytes: PositiveInt
    milliseconds: PositiveFloat
    accuracy: Proportion
    error: Proportion
    questions: PositiveInt
    lead: _Difference | None
    lead_error: Proportion | None


def measured_classifiers(texts: str, file: Path = FILE) -> tuple[MeasuredClassifier, ...]:
    """The networks on one set of held-out texts, in the order of the table; ModelError where the file is wrong."""
    rows = read_rows(file, _Row, unique=("texts", "model"), made_by=COMMAND, covers={"model": CONTESTANTS})
    return tuple(
        MeasuredClassifier(
            row.model,
            row.parameters,
            row.bytes,
            row.milliseconds,
            row.accuracy,
            row.error,
            row.questions,
            None if row.lead is None or row.lead_error is None else Difference(row.lead, row.lead_error),
        )
        for row in rows
        if row.texts == texts
    )
