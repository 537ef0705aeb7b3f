"""Quality, size and speed of students with fewer layers beside their teachers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from ..published.table import PositiveFloat, PositiveInt, Proportion, Text, one_of
from ..shrinking.students import STUDENTS, TABLE
from .result_files import read_rows

MADE_BY = "python -m training.shrinking.report --data PATH"


@dataclass(frozen=True)
class Difference:
    """A difference of two shares of right answers to the same questions, and its standard error."""

    value: float
    error: float

    @property
    def is_clear(self) -> bool:
        """Whether it is more than twice its standard error."""
        return abs(self.value) > 2 * self.error


@dataclass(frozen=True)
class Student:
    """A measured network; `taught` is None for the teacher itself, `quality` the share of right answers.

    `error` is the standard error of `quality`; `as_teacher` the share of questions that get the teacher's answer, and
    `same_mistakes` the same among those that it answers wrongly. `lead`: over the teacher, None of itself. `gain`: of a
    taught one, over the one of its size that was not.
    """

    variant: str
    layers: int
    parameters: int
    bytes: int
    milliseconds: float
    quality: float
    as_teacher: float
    taught: bool | None
    same_mistakes: float
    questions: int
    error: float
    lead: Difference | None
    gain: Difference | None


_Difference = Annotated[float, Meta(ge=-1, le=1)]


@dataclass(frozen=True)
class _Row:
    model: Annotated[str, one_of(tuple(STUDENTS))]
    variant: Text
    parameters: PositiveInt
    bytes: PositiveInt
    milliseconds: PositiveFloat
    quality: Proportion
    measure: Literal["masked words", "accuracy"]
    layers: PositiveInt
    taught: bool | None
    as_teacher: Proportion
    same_mistakes: Proportion
    questions: PositiveInt
    error: Proportion
    lead: _Difference | None
    lead_error: _Difference | None
    gain: _Difference | None
    gain_error: _Difference | None


def students(teacher: str, file: Path = TABLE) -> tuple[Student, ...]:
    """The teacher first, then its students; ModelError where the file is missing or wrong."""
    rows = read_rows(file, _Row, unique=("model", "variant"), made_by=MADE_BY, covers={"model": tuple(STUDENTS)})
    return tuple(
        Student(
            variant=row.variant,
            layers=row.layers,
            parameters=row.parameters,
            bytes=row.bytes,
            milliseconds=row.milliseconds,
            quality=row.quality,
            as_teacher=row.as_teacher,
            taught=row.taught,
            same_mistakes=row.same_mistakes,
            questions=row.questions,
            error=row.error,
            lead=_difference(row.lead, row.lead_error),
            gain=_difference(row.gain, row.gain_error),
        )
        for row in rows
        if row.model == teacher
    )


def _difference(value: float | None, error: float | None) -> Difference | None:
    return None if value is None or error is None else Difference(value, error)
